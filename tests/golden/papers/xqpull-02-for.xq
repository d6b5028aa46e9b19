(: A Fully Pipelined XQuery Processor, section 3.3. :)
for $x in fn:doc("a.xml")/A return $x/B
