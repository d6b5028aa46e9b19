(: A Fully Pipelined XQuery Processor, section 5, benchmark query 8.
   Corrected: the documents X and D of the paper's table are bound to variables. :)
let $D := doc("dblp.xml") return
$D//inproceedings[author="Leonidas Fegaras"]/title
