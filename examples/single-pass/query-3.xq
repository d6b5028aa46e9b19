(: single-pass.txt, section 4.3.2, query 3: what is selected flows on unbuffered (vertical fusion); but each item is
   compared with the count of all, so that two passes are needed. :)
let $b := for $i in stream/pixel[x > 0]
          return $i
for $j in $b/y
where $j = count($b)
return $j
