(: Efficient Evaluation of XQuery over Streaming Data, section 4.3.1, query 2.
   Corrected: `let` binds with `:=`; `idvi` is idiv. :)
let $b := count(stream/pixel[x>0])
        return sum(stream/pixel/y) idiv $b
