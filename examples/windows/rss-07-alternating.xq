(: data: rss.xml :)
(: Runs of three or more postings in which nobody posts twice in a row. :)
forseq $w in /feed/item tumbling window
  start position $s when true()
  end curItem $e, nextItem $n when empty($n) or $n/author eq $e/author
where count($w) ge 3
return <turns>{ string-join($w/author, " ") }</turns>
