(: A Fully Pipelined XQuery Processor, section 4.
   Corrected: the query is missing in the copy of the paper; it is read off the pipeline given for it. :)
<result>{
  for $x in fn:doc("a.xml")//b,
      $y in fn:doc("b.xml")/d/e
  where $x/d eq $y/f
  return <Q>{ $x/c, $y/g }</Q>
}</result>
