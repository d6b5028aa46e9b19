(: The three largest, and how many there are. :)
<r n="{ count(/s/p) }">{ (for $p in /s/p order by number($p/x) descending return $p/y)[position() le 3] }</r>
