(: Thesis on StreamGlobe, FluX and best-match joins, figure 3.15, a window without `step`.
   Corrected: the grammar alone shows this form; the path is that of query Q7. :)
for $w in $x/c/d|count 4| return fn:avg($w)
