(: Thesis on StreamGlobe, FluX and best-match joins, example 3.5.3, query Q2 (XMP-Q2).
   Corrected: no braces around the inner loops, which the fragment XQuery- wants and XQuery does not. :)
<results>
{ for $b in $ROOT/bib/book return
  for $t in $b/title return
  for $a in $b/author return
    <result>
      {$t}
      {$a}
    </result> }
</results>
