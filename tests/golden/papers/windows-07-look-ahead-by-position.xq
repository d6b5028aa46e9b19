(: Extending XQuery with Window Functions, section 3.2.1, the two equivalent end clauses, second form.
   Corrected: only the end clause is given; the rest is that of the examples around it. :)
forseq $w in $seq tumbling window
  start when fn:true()
  end position $j when $seq[$j+1]
return $w
