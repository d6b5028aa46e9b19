(: Extending XQuery with Window Functions, figure 2. :)
forseq $w in $rssfeed tumbling window
  start curItem $first when fn:true()
  end nextItem $lookAhead when
    $first/author ne $lookAhead/author
where count($w) ge 3
return $w[1]/author
