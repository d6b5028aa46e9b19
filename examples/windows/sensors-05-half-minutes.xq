(: data: sensors.xml :)
(: Minimum, maximum and average by half minutes. :)
for tumbling window $w in /sensors/temp
  start $s when true()
  end $e next $n when $n/@t idiv 30 ne $s/@t idiv 30
return <span at="{ $s/@t idiv 30 * 30 }" min="{ min($w) }" max="{ max($w) }">{ round(avg($w), 1) }</span>
