(: data: rss.xml :)
(: Authors of three or more postings in a row (windows paper, figure 2). :)
forseq $w in /feed/item tumbling window
  start curItem $first when true()
  end nextItem $next when $first/author ne $next/author
where count($w) ge 3
return <annoying n="{ count($w) }">{ $w[1]/author/string() }</annoying>
