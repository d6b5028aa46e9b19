(: Extending XQuery with Window Functions, section 6.3.1, after the rewrite. :)
forseq $w in $seq landmark window
  start curItem $s when $s eq 'S'
  force end curItem $e when $e eq 'E'
return $w
