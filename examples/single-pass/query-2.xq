(: single-pass.txt, section 4.3.1, query 2: two traversals with a common prefix are one (horizontal fusion). :)
let $b := count(stream/pixel[x > 0])
return sum(stream/pixel/y) idiv $b
