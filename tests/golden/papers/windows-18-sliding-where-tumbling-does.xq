(: Extending XQuery with Window Functions, section 6.3.2, before the rewrite. :)
forseq $w in $seq sliding window
  start curItem $s when $s eq 'a'
  end curItem $e when $e eq 'c'
return $w
