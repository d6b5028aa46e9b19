(: Extending XQuery with Window Functions, section 3.4.3.
   Corrected: the clause is followed by `return $w`; 'P1H' is kept, although a duration of an hour is written PT1H. :)
forseq $w in ext:addTStamp($seq) tumbling window
  start curItem $first when fn:true()
  end curItem $last when
    ($last/@tstamp - $first/@tstamp) eq 'P1H'
return $w
