xquery version "3.1";
(: What each minute was like, segment by segment: vehicles, reports, and how fast they went.

   A window is the reports of one minute; it is told as soon as the first report of the next minute is there, and then
   forgotten. The speed is the mean over vehicles of the mean of each, as Linear Road has it. :)

forseq $minute in /linear-road/tuple[@type = 0] tumbling window
  start curItem $first when true()
  end nextItem $next when xs:integer($next/@time) idiv 60 ne xs:integer($first/@time) idiv 60
return
  for $report in $minute
  group by $xway := xs:integer($report/@xway), $dir := xs:integer($report/@dir), $seg := xs:integer($report/@seg)
  let $speeds :=
    for $one in $report
    group by $vid := $one/@vid
    return avg($one/@spd)
  order by $xway, $dir, $seg
  return <segment minute="{ xs:integer($report[1]/@time) idiv 60 + 1 }" xway="{ $xway }" dir="{ $dir }" seg="{ $seg }"
    cars="{ count($speeds) }" reports="{ count($report) }" speed="{ round(avg($speeds), 2) }"/>
