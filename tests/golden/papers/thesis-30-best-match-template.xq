(: Thesis on StreamGlobe, FluX and best-match joins, section 4.2.2.2, the general form.
   Corrected: names stand for the Greek letters and for order1, order2, and `...`; `full` is one of the choices. :)
for $r in $R/r
for $s in $S/s
where $r full outer bestmatch join $s
  on ($r/y1 - $s/y1) max, ($r/y2, $s/y2) udf:compare
return ($r, $s)
