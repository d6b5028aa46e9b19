(: Thesis on StreamGlobe, FluX and best-match joins, section 3.8.2.2, the example after definition 3.8.16.
   Corrected: the window specification `ws` is that of query Q7; the two loops are a sequence in brackets. :)
for $w in $x/c/d|count 4 step 2| return
  ( for $e in $w/e return $e,
    for $f in $w/f return $f )
