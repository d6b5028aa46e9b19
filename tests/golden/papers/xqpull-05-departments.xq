(: A Fully Pipelined XQuery Processor, section 4.
   Corrected: a comma for the dot between the two names. :)
for $d in fn:doc("cs.xml")/department,
    $s in $d/student[gpa = "3.5"]
return <student>{ $d/name, $s/name }</student>
