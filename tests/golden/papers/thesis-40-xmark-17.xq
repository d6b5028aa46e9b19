(: Thesis on StreamGlobe, FluX and best-match joins, appendix C.1, query 17. :)
<query17>
{ for $p in /site/people/person
  where fn:empty($p/homepage)
  return
    <person>
      {$p/name}
    </person> }
</query17>
