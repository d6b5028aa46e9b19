(: data: sensors.xml :)
(: From the first value above 20 until the sensor is below 20 again. :)
for $id in distinct-values(/sensors/temp/@id)
forseq $w in /sensors/temp[@id eq $id] tumbling window
  start curItem $s when $s > 20
  end curItem $e when $e < 20
return <hot id="{ $id }" from="{ $s/@t }" to="{ $e/@t }"/>
