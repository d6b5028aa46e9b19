(: An aggregate that is computed from another one. :)
declare function local:mean($values) { sum($values) div count($values) };
let $mean := local:mean(/s/p/x)
return math:sqrt(local:mean(for $x in /s/p/x return ($x - $mean) * ($x - $mean)))
