(: data: sensors.xml :)
(: A value more than ten above both of its neighbours. :)
for $id in distinct-values(/sensors/temp/@id)
for sliding window $w in /sensors/temp[@id eq $id]
  start $s at $i when true()
  only end $e at $j when $j - $i eq 2
where $w[2] - $s gt 10 and $w[2] - $e gt 10
return <outlier id="{ $id }" t="{ $w[2]/@t }">{ $w[2]/string() }</outlier>
