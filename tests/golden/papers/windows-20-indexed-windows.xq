(: Extending XQuery with Window Functions, section 6.3.3. :)
forseq $w in $seq landmark window
  start curItem $s when fn:true()
  end curItem $e when $s/@id eq $e/@id
return $w
