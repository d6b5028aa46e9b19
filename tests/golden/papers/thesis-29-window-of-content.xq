(: Thesis on StreamGlobe, FluX and best-match joins, figure 3.15, a time-based window over the content of each element.
   Corrected: the grammar alone shows this form; the path is that of query Q7. :)
for $w in $x/c/d|diff 60 step 15| return fn:avg($w)
