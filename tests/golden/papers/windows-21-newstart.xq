(: Extending XQuery with Window Functions, section 3.4.2 and figure 3.
   Corrected: the paper describes `newstart` by a person's day and shows no query; this one follows the description. :)
forseq $day in $events tumbling window
  start curItem $alarm when $alarm/@type eq 'alarm-clock'
  end when newstart
return count($day)
