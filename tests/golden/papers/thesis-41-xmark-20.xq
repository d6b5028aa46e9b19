(: Thesis on StreamGlobe, FluX and best-match joins, appendix C.1, query 20. :)
<query20>
{ for $p in /site/people/person
  where fn:empty($p/person_income)
  return
    $p }
</query20>
