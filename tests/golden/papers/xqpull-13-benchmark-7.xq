(: A Fully Pipelined XQuery Processor, section 5, benchmark query 7.
   Corrected: the documents X and D of the paper's table are bound to variables. :)
let $X := doc("data.xml") return
<result>{
  for $c in $X//item
  where $c/location = "Mongolia"
  return <item>{ $c/quantity, $c/payment }</item>
}</result>
