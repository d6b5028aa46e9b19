(: After single-pass.txt, section 4.4: no value is larger than the largest. Values are cast, since without a type one of
   them could be NaN, and then none would be selected. :)
let $p := stream/pixel/x ! xs:integer(.)
for $i in $p
where $i <= max($p)
return $i
