(: Thesis on StreamGlobe, FluX and best-match joins, example 4.2.11.
   Corrected: names stand for the Greek letters and for `...`. :)
for $r in $R/r
for $s in $S/s
where $r bestmatch join $s
  on (fn:abs($r/y1 - $s/y1)) min, ($r/y2, $s/y2) subset
return ($r, $s)
