(: Thesis on StreamGlobe, FluX and best-match joins, example 3.6.4. :)
<address>
{ for $d in $ROOT/bib/dissertation
  where $d/author/lastname = "Goedel"
  return
    $d/author/address }
</address>
