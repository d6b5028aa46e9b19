xquery version "3.1";
(: Which lines leave late, how often and by how much? :)

declare variable $lines external;                        (: a document: --var-file lines=lines.xml :)
declare variable $minutes as xs:decimal external := 3;   (: later than this is late: -v minutes=5 :)

declare function local:delay($departure as element(departure)) as xs:decimal {
  (xs:time($departure/@actual) - xs:time($departure/@planned)) div xs:dayTimeDuration("PT1M")
};

<late station="{ /departures/@station }">{
  for $departure in /departures/departure,
      $line in $lines/lines/line
  where $line/@id = $departure/@line
  let $delay := local:delay($departure)
  where $delay gt $minutes
  group by $id := string($line/@id)
  let $worst := max($delay)
  order by $worst descending
  return
    <line id="{ $id }" operator="{ head($line)/@operator }" times="{ count($departure) }" worst="{ $worst }">{
      for $to in distinct-values($departure/to) order by $to return <to>{ $to }</to>
    }</line>
}</late>
