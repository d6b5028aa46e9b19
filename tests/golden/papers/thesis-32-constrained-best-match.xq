(: Thesis on StreamGlobe, FluX and best-match joins, example 4.2.14, the SQL query as XQuery.
   Corrected: the thesis gives SQL and says that XQuery is analogous. :)
for $t in $Temp/t
for $h in $Hum/h
where $t left outer bestmatch join $h
  on (fn:abs($t/t - $h/t)) min 10,
     (fn:abs($t/x - $h/x)) min 100,
     (fn:abs($t/y - $h/y)) min 100
return ($t, $h)
