(: Efficient Evaluation of XQuery over Streaming Data, section 4.3.1.
   Corrected: `: =` is `:=`; `unordered` has braces; the pair after `return` has brackets. :)
unordered {
   let $b1 := //stream/pixel[x=1]
   let $b2 := //stream/pixel[x=2]
      return (count($b1), count($b2))
}
