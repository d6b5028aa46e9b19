(: Thesis on StreamGlobe, FluX and best-match joins, example 3.4.6. :)
for $x in /bib/book
return
  ($x/author, $x/title)
