(: data: rss.xml :)
(: From each posting to the next one on the same topic: how many came in between. :)
forseq $w in /feed/item sliding window
  start curItem $s when true()
  force end curItem $e when $e/topic eq $s/topic and $e/@n ne $s/@n
return <again topic="{ $s/topic }" from="{ $s/@n }" to="{ $e/@n }">{ count($w) - 2 }</again>
