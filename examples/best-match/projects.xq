(: Thesis, example 4.1.2: for each project the people that no one else is as near, as good and as experienced as. :)
for $project in doc("people.xml")/agency/project
for $person in doc("people.xml")/agency/person
where $project left outer bestmatch join $person on
  (math:sqrt(($project/@x - $person/@x) * ($project/@x - $person/@x)
           + ($project/@y - $person/@y) * ($project/@y - $person/@y))) min,
  ($person/@grade) max,
  ($person/@experience) max
return <offer project="{ $project/@name }" to="{ $person/@name }"/>
