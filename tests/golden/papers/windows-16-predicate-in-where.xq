(: Extending XQuery with Window Functions, section 6.3.1, before the rewrite.
   Corrected: `last` is `last()`. :)
forseq $w in $seq landmark window
  start when fn:true()
  end when fn:true()
where $w[1] eq 'S' and $w[last()] eq 'E' return $w
