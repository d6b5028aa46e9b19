(: Extending XQuery with Window Functions, section 3.2.1, the two equivalent end clauses, first form.
   Corrected: only the end clause is given; the rest is that of the examples around it. :)
forseq $w in $seq tumbling window
  start when fn:true()
  end nextItem $lookAhead when $lookAhead
return $w
