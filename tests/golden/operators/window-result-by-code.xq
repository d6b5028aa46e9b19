for tumbling window $w in /s/t
  start $s when true()
  end $e when $e/@d ne $s/@d
return <w>{ encode-for-uri(string(sum($w/v))) }</w>
