(: Thesis on StreamGlobe, FluX and best-match joins, appendix C.1, query 1. :)
<query1b>
{ for $b in /site/people/person
  where $b/person_id = "person0"
  return
    <result>
      {$b/name}
    </result> }
</query1b>
