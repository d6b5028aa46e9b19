(: data: article.xml :)
(: Paragraphs, figures and tables on pages of at most fifty lines. :)
forseq $w in /article/*[@lines] tumbling window
  start position $s when true()
  end position $e, nextItem $n when sum(/article/*[@lines][position() ge $s and position() le $e]/@lines) + $n/@lines gt 50
count $page
return <page n="{ $page }" lines="{ sum($w/@lines) }">{ $w/name() }</page>
