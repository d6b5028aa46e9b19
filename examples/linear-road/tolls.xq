xquery version "3.1";
(: Linear Road: tolls, accidents, balances and daily expenditures, answered as the tuples pass.

   What the road is like stands in maps, which change with each tuple. A place is a segment of one direction of an
   expressway, a spot is a position in a lane of it; both are numbers, so that they can be keys. :)

declare execution sequential;

declare variable $history external := ();
(: The file of the toll history: what each vehicle paid on each of the 69 days before. :)

declare variable $pooled as xs:boolean external := false();
(: Whether the average of a minute is that of all reports, instead of that of all vehicles. :)

declare variable $paid as map(xs:integer, xs:string) :=
  if (empty($history)) then map { } else
  map:merge(for $v in doc($history)/toll-history/vehicle return map:entry(xs:integer($v/@vid), string($v/@paid)));

declare variable $cars as map(xs:integer, map(xs:string, xs:integer)) := map { };
(: Of each vehicle: its last report, how often it told that spot, what it told in this minute and place, the toll it was
   told and has not paid yet, and its balance. :)

declare variable $minutes as map(xs:integer, map(xs:string, xs:integer)) := map { };
(: Of each place and minute: vehicles, the sum of their average speeds, reports, and the sum of their speeds. Six slots
   for each place, used in turn: nothing looks back further than five minutes. :)

declare variable $rates as map(xs:integer, map(xs:string, xs:integer)) := map { };
(: Of each place: the latest average velocity, and the vehicles of the minute before. Computed when a vehicle first enters
   the place in a minute, so that the change of the minute is spread over all of it. :)

declare variable $stopped as map(xs:integer, xs:integer*) := map { };
(: The vehicles that are stopped at a spot. :)

declare variable $accidents as map(xs:integer, map(xs:string, xs:integer)*) := map { };
(: The accidents of a place: where, from which minute on, and up to which (0: it is not cleared). :)

declare variable $FINE as xs:integer := 2520;
(: Average speeds are counted in 2520ths of a mile per hour, which any ten reports or fewer divide without a rest. :)

(: --- statistics --- :)

declare function local:count(
  $place as xs:integer, $minute as xs:integer, $is-new as xs:boolean, $speed as xs:integer, $more as xs:integer
) as empty-sequence() {
  let $slot := $place * 6 + $minute mod 6
  let $before := $minutes($slot)
  return
    if ($before?minute eq $minute) then
      let $vehicles as xs:integer := if ($is-new) then $before?cars + 1 else $before?cars
      let $averages as xs:integer := $before?averages + $more
      let $reports as xs:integer := $before?reports + 1
      let $speeds as xs:integer := $before?speeds + $speed
      return set $minutes := map:put($minutes, $slot, map {
        "minute": $minute, "cars": $vehicles, "averages": $averages, "reports": $reports, "speeds": $speeds })
    else set $minutes := map:put($minutes, $slot, map {
      "minute": $minute, "cars": 1, "averages": $more, "reports": 1, "speeds": $speed })
};

declare function local:velocity($place as xs:integer, $minute as xs:integer) as xs:integer {
  let $past :=
    for $earlier in $minute - 5 to $minute - 1
    let $found := $minutes($place * 6 + $earlier mod 6)
    where $found?minute eq $earlier
    return $found
  return
    if (empty($past)) then 0
    else if ($pooled) then (2 * sum($past?speeds) + sum($past?reports)) idiv (2 * sum($past?reports))
    else
      (: The mean of fractions, over a common denominator, rounded half up: no digit is lost. :)
      let $all := fold-left($past?cars, 1, function($product, $cars) { $product * $cars })
      let $sum := sum(for $m in $past return $m?averages * ($all idiv $m?cars))
      let $parts := $FINE * $all * count($past)
      return (2 * $sum + $parts) idiv (2 * $parts)
};

declare function local:rate($place as xs:integer, $minute as xs:integer) as map(xs:string, xs:integer) {
  let $known := $rates($place)
  return
    if ($known?minute eq $minute) then $known
    else
      let $last := $minutes($place * 6 + ($minute - 1) mod 6)
      let $cars as xs:integer := if ($last?minute eq $minute - 1) then $last?cars else 0
      let $rate := map { "minute": $minute, "velocity": local:velocity($place, $minute), "cars": $cars }
      return { set $rates := map:put($rates, $place, $rate); $rate }
};

(: --- accidents --- :)

declare function local:stop($vid as xs:integer, $spot as xs:integer, $place as xs:integer, $minute as xs:integer)
as empty-sequence() {
  let $there := $stopped($spot)
  return
    if ($there = $vid) then ()
    else {
      set $stopped := map:put($stopped, $spot, ($there, $vid));
      if (count($there) eq 1) then
        let $open := $accidents($place)[?until eq 0 or ?until ge $minute]
        return set $accidents :=
          map:put($accidents, $place, ($open, map { "spot": $spot, "from": $minute + 1, "until": 0 }))
      else ()
    }
};

declare function local:move($vid as xs:integer, $spot as xs:integer, $place as xs:integer, $minute as xs:integer)
as empty-sequence() {
  let $there := $stopped($spot)
  return
    if (not($there = $vid)) then ()
    else {
      set $stopped := map:remove($stopped, $spot);
      if (count($there) ge 2) then
        set $accidents := map:put($accidents, $place,
          for $a in $accidents($place)
          return if ($a?spot eq $spot and $a?until eq 0) then map:put($a, "until", $minute) else $a)
      else ()
    }
};

declare function local:accident-ahead(
  $place as xs:integer, $dir as xs:integer, $seg as xs:integer, $minute as xs:integer
) as xs:integer? {
  if (map:size($accidents) eq 0) then ()
  else head(
    for $ahead in 0 to 4
    let $step := if ($dir eq 0) then $ahead else -$ahead
    where $seg + $step ge 0 and $seg + $step le 99
    where some $a in $accidents($place + $step) satisfies
      $a?from le $minute and ($a?until eq 0 or $minute le $a?until)
    return $seg + $step)
};

(: --- tuples --- :)

declare function local:toll($velocity as xs:integer, $cars as xs:integer) as xs:integer {
  if ($velocity ge 40 or $cars le 50) then 0 else 2 * ($cars - 50) * ($cars - 50)
};

declare function local:report(
  $time as xs:integer, $vid as xs:integer, $speed as xs:integer, $xway as xs:integer, $lane as xs:integer,
  $dir as xs:integer, $seg as xs:integer, $pos as xs:integer
) as element()* {
  let $car := $cars($vid)
  let $starts := empty($car) or ($lane eq 0 and $time - $car?time gt 60)
  return
    (: Who was first seen leaving, or has left and not entered again, is not on the road. :)
    if ($lane eq 4 and empty($car) or $car?lane eq 4 and not($starts)) then ()
    else
      let $minute := $time idiv 60 + 1
      let $place := ($xway * 2 + $dir) * 100 + $seg
      let $spot := (($xway * 2 + $dir) * 5 + $lane) * 528000 + $pos
      let $stays as xs:boolean := not($starts) and $car?place eq $place
      let $is-still as xs:boolean := not($starts) and $car?spot eq $spot
      let $again as xs:boolean := $stays and $car?minute eq $minute
      let $still as xs:integer := if ($is-still) then $car?still + 1 else 1
      let $reports as xs:integer := if ($again) then $car?reports + 1 else 1
      let $speeds as xs:integer := if ($again) then $car?speeds + $speed else $speed
      let $average := $speeds * $FINE idiv $reports
      let $more as xs:integer := if ($again) then $average - $car?average else $average
      let $balance as xs:integer :=
        if (empty($car)) then 0
        else if ($starts or $stays) then $car?balance
        else $car?balance + $car?toll
      let $enters := not($stays) and $lane ne 4
      let $ahead := if ($enters) then local:accident-ahead($place, $dir, $seg, $minute) else ()
      let $rate := if ($enters) then local:rate($place, $minute) else ()
      let $toll as xs:integer :=
        if ($lane eq 4) then 0
        else if ($stays) then $car?toll
        else if (exists($ahead)) then 0
        else local:toll($rate?velocity, $rate?cars)
      return {
        local:count($place, $minute, not($again), $speed, $more);
        if ($car?still ge 4 and not($is-still)) then local:move($vid, $car?spot, $car?place, $minute) else ();
        if ($still ge 4 and $lane ne 0 and $lane ne 4) then local:stop($vid, $spot, $place, $minute) else ();
        set $cars := map:put($cars, $vid, map {
          "time": $time, "place": $place, "spot": $spot, "still": $still, "minute": $minute, "reports": $reports,
          "speeds": $speeds, "average": $average, "toll": $toll, "balance": $balance, "lane": $lane });
        if ($enters) then <toll vid="{ $vid }" time="{ $time }" lav="{ $rate?velocity }" toll="{ $toll }"/> else (),
        if (exists($ahead)) then <accident time="{ $time }" xway="{ $xway }" seg="{ $ahead }" dir="{ $dir }" vid="{ $vid }"/>
        else ()
      }
};

declare function local:expenditure($vid as xs:integer, $xway as xs:integer, $day as xs:integer) as xs:string {
  let $word := tokenize($paid($vid), " ")[$day]
  return if (substring-before($word, ":") eq string($xway)) then substring-after($word, ":") else "0"
};

(: The line break is written as soon as the history is there: who sends tuples can wait for it. :)
<answers vehicles="{ map:size($paid) }">&#10;{
  for $t in /linear-road/tuple
  let $type := xs:integer($t/@type)
  return
    if ($type eq 0) then
      local:report(xs:integer($t/@time), xs:integer($t/@vid), xs:integer($t/@spd), xs:integer($t/@xway),
        xs:integer($t/@lane), xs:integer($t/@dir), xs:integer($t/@seg), xs:integer($t/@pos))
    else if ($type eq 2) then
      <balance time="{ $t/@time }" at="{ $t/@time }" qid="{ $t/@qid }" bal="{ ($cars(xs:integer($t/@vid))?balance, 0)[1] }"/>
    else if ($type eq 3) then
      <expenditure time="{ $t/@time }" qid="{ $t/@qid }" bal="{
        local:expenditure(xs:integer($t/@vid), xs:integer($t/@xway), xs:integer($t/@day)) }"/>
    else ()
}</answers>
