(: Thesis on StreamGlobe, FluX and best-match joins, example 3.8.8, query Q5.
   Corrected: no braces around the inner expression, which the fragment XQuery- wants and XQuery does not. :)
<results>
{ for $book in /bib/book return
  let $a := fn:count($book/author)
  where $a > 5
  return
    <result>
      {$book/title}
      <numAuthors>{$a}</numAuthors>
    </result> }
</results>
