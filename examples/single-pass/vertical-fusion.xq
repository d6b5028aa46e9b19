(: Query 3 without its condition (single-pass.txt, section 4.3.2): the pixels of $b are passed on one by one. :)
let $b := for $i in stream/pixel[x > 0]
          return $i
for $j in $b/y
return $j
