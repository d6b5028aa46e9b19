(: Efficient Evaluation of XQuery over Streaming Data, section 4.3.1.
   Corrected: `: =` is `:=`; `unordered` has braces. :)
unordered {
  for $i in (1 to 2)
    let $b := //stream/pixel[x=$i]
    return count($b)
}
