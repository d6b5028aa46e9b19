(: Extending XQuery with Window Functions, section 3.2.1.
   Corrected: `...` stands for the rest of the expression; here `return $w`. :)
forseq $w in $seq tumbling window
  start when fn:true()
  end when fn:true()
return $w
