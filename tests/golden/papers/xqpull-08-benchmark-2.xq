(: A Fully Pipelined XQuery Processor, section 5, benchmark query 2.
   Corrected: the documents X and D of the paper's table are bound to variables. :)
let $X := doc("data.xml") return
$X//item[location="Mongolia"][payment="Creditcard"]/location
