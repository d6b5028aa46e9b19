(: Extending XQuery with Window Functions, section 5.2. :)
declare execution sequential;
declare variable $seq as (xs:int)** external;
declare variable $runMax as xs:int := 0 ;
forseq $w in $seq sliding window
  start position $s when fn:true()
  end position $e when $e - $s eq 2
return
  for $x in $w
  where $x gt $runMax and $x le $w[1]
  order by $x
  return { set $runMax := $x; $x}
