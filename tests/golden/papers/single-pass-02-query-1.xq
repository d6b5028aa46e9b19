(: Efficient Evaluation of XQuery over Streaming Data, section 3.2, query 1.
   Corrected: `let` binds with `:=`; `idvi` is idiv. :)
let $b := count(stream/pixel[x>0])
for $i in stream/pixel
    return $i/x idiv $b
