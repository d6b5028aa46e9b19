(: A Fully Pipelined XQuery Processor, section 4. :)
fn:doc("cs.xml")/department/student[gpa="3.5"]/name
