(: Thesis on StreamGlobe, FluX and best-match joins, example 3.5.5, query Q3. :)
<results>
{ for $bib in $ROOT/bib return
  for $article in $bib/article return
  for $book in $bib/book
  where $article/author = $book/editor
  return
    <result>
      {$article/author}
    </result> }
</results>
