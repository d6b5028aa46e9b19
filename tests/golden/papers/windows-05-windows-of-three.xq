(: Extending XQuery with Window Functions, section 3.2.1.
   Corrected: spaces around the minus, since `j-` is a name; `...` is `return $x`. :)
forseq $x in $seq tumbling window
  start position $i when fn:true()
  end position $j when $j - $i eq 2
return $x
