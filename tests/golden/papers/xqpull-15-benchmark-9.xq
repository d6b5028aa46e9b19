(: A Fully Pipelined XQuery Processor, section 5, benchmark query 9.
   Corrected: the documents X and D of the paper's table are bound to variables. :)
let $D := doc("dblp.xml") return
for $d in $D//inproceedings
where contains($d/author,"Fegaras")
order by $d/year
return ($d/year/text(),": ",$d/title/text(),"\n")
