(: single-pass.txt, section 3.2, query 1: each value is divided by a count of all, so that two passes are needed. :)
let $b := count(stream/pixel[x > 0])
for $i in stream/pixel
return $i/x idiv $b
