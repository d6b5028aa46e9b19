(: A Fully Pipelined XQuery Processor, section 2. :)
/a[b/c]/d
