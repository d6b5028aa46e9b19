for $o in //order group by $c := $o/city return <city name="{ $c }">{ $o/@id/string() }</city>
