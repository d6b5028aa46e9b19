(: Thesis on StreamGlobe, FluX and best-match joins, example 3.8.7, query Q4. :)
<results>
{ for $book in /bib/book return
    <result>
      {$book/title}
      <numAuthors>{fn:count($book/author)}</numAuthors>
    </result> }
</results>
