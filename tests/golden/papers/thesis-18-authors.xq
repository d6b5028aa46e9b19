(: Thesis on StreamGlobe, FluX and best-match joins, example 3.6.5. :)
<authors>
{ for $a in $ROOT/bib/dissertation
  return
    ($a/author/lastname,
     $a/author/firstname) }
</authors>
