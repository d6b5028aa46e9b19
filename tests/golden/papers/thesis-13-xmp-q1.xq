(: Thesis on StreamGlobe, FluX and best-match joins, example 3.5.1, query Q1 (XMP-Q1). :)
<bib>
{ for $b in $ROOT/bib/book
  where $b/publisher = "Addison-Wesley" and $b/year > 1991
  return
    <book>
      {$b/year}
      {$b/title}
    </book> }
</bib>
