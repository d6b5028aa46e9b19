for $y in distinct-values(/bib/book/year)
return <y>{ $y, count(/bib/book[year = $y]) }</y>
