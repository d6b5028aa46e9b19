for tumbling window $w in /s/t
  start $s when true()
  end $e when $e/@d ne $s/@d
return <w>{ format-number(sum($w/v), "0.0") }</w>
