(: Thesis, examples 4.1.3 and 4.2.14: at most 10 minutes and 100 metres apart, in each direction. :)
for $t in doc("temperatures.xml")/temperatures/t
for $h in doc("humidities.xml")/humidities/h
where $t left outer bestmatch join $h
  on (abs($t/t - $h/t)) min 10,
     (abs($t/x - $h/x)) min 100,
     (abs($t/y - $h/y)) min 100
return <at time="{ $t/t }" temperature="{ $t/v }" humidity="{ $h/v }" minutes-apart="{ abs($t/t - $h/t) }"/>
