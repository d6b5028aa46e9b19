(: Thesis on StreamGlobe, FluX and best-match joins, section 3.1, query Q (XMP-Q3). :)
<results>
{ for $b in $ROOT/bib/book
  return
    <result>
      {$b/title}
      {$b/author}
    </result> }
</results>
