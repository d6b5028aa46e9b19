(: Extending XQuery with Window Functions, section 4.
   Corrected: a declaration ends with `;`. :)
declare variable $seq as (xs:int)** external;
forseq $w in $seq sliding window
  start position $s when fn:true()
  end position $e when $e - $s eq 2
return fn:avg($w)
