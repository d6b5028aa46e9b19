(: Windows are bounded; what they are compared with is not known before the end. :)
let $mean := avg(/log/reading/raw)
for tumbling window $w in /log/reading
  start at $s when $s mod 10 = 1
where avg($w/raw) > $mean
return <window from="{ $w[1]/@time }">{ avg($w/raw) }</window>
