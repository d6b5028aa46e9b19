(: Extending XQuery with Window Functions, section 5.3.
   Corrected: a declaration ends with `;`. :)
declare variable $sensors as (temp)** external;
forseq $w in $sensors landmark window
  start position $s when $s eq 1
  end when fn:true()
return <values> {
  for $id in fn:distinct-values($w/@id)
  return
    $w[@id eq $id][last()]
} </values>
