declare function local:dear($books) { $books[price > 50] };
for $b in local:dear(/bib/book) order by $b/title return $b/title
