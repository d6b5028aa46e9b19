for $o in /shop/region/order
group by $c := string($o/city)
order by count($o) descending
return <city name="{ $c }" orders="{ count($o) }" total="{ sum($o/total) }"/>
