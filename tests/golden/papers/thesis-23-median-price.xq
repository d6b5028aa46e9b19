(: Thesis on StreamGlobe, FluX and best-match joins, example 3.8.12, query Q6. :)
<results>
{ for $book in /bib/book return
    <result>
      {$book/title}
      <medPrice>{udf:median($book/bookstore/price)}</medPrice>
    </result> }
</results>
