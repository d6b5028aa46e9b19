(: items: $feed from rss.xml :)
(: The feed as a stream: each author when the second of two postings in a row arrives. :)
declare variable $feed as element(item)** external;
forseq $w in $feed sliding window
  start curItem $s when true()
  force end curItem $e, position $j, prevItem $p when $e/author eq $s/author and $p/@n eq $s/@n
return <alert n="{ $e/@n }">{ $e/author/string() }</alert>
