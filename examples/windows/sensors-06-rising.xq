(: data: sensors.xml :)
(: Runs of at least three measurements of a sensor that do not fall. :)
for $id in distinct-values(/sensors/temp/@id)
for tumbling window $w in /sensors/temp[@id eq $id]
  start when true()
  end $e next $n when number($n) lt number($e)
where count($w) ge 3
return <rising id="{ $id }">{ string-join($w, " ") }</rising>
