(: What is in the feed now, and headlines that were rewritten or taken down. :)
<feed now="{ count(//item) }">{
  for $i in //item#[1]
  where xylem:version($i) = 1 and not(//item[guid = $i/guid]/title = $i/title)
  return <was>{ string($i/title) }</was>
}</feed>
