(: A Fully Pipelined XQuery Processor, section 3.4. :)
<Q>{$x/A,100,$x/B}</Q>
