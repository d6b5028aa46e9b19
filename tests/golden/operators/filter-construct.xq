for $b in /bib/book
where $b/year > 2000
return <t>{ $b/title }</t>
