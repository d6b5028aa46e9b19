(: single-pass.txt, section 4.3.1: one traversal for each turn of the loop, answered by one pass for all of them. :)
unordered {
  for $i in 1 to 2
  let $b := //stream/pixel[x = $i]
  return count($b)
}
