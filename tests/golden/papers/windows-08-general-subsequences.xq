(: Extending XQuery with Window Functions, section 3.3.
   Corrected: `...` stands for the rest of the expression; here `return $w`. :)
forseq $w in $seq
return $w
