(: A Fully Pipelined XQuery Processor, section 5, benchmark query 3.
   Corrected: the documents X and D of the paper's table are bound to variables. :)
let $X := doc("data.xml") return
$X//*[location="Mongolia"]/quantity
