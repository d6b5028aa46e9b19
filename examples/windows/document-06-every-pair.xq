(: data: article.xml :)
(: Sub-sequences of the pages that add up to ten: every one, without any window. :)
forseq $w in /article/page[position() le 5]
where sum($w) eq 10
return <sum>{ string-join($w, " + ") }</sum>
