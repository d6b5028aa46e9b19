xquery version "3.1";
(: Vehicle positions of buses and trams (SIRI VM), with the questions of Linear Road: how fast is a stretch just now, how
   many vehicles were on it, and is something in the way?

   A stretch is the way to the next stop of a line in one direction. A vehicle that comes to another stretch is told the
   average speed of the last five minutes there, the vehicles of the minute before, and whether two vehicles or more
   have stood in one place of it for four reports. :)

declare default element namespace "http://www.siri.org.uk/siri";
declare execution sequential;

declare variable $vehicles as map(xs:string, map(xs:string, xs:string)) := map { };
(: Of each vehicle: the stretch and the place of its last report, and how many reports told that place. :)

declare variable $minutes as map(xs:string, map(xs:string, xs:integer)) := map { };
(: Of each stretch and minute: vehicles, reports and the sum of speeds. Six slots for each stretch, used in turn. :)

declare variable $standing as map(xs:string, xs:string*) := map { };
(: The vehicles that stand in a place. :)

declare variable $blocked as map(xs:string, xs:string*) := map { };
(: The places of a stretch where two vehicles or more stand. :)

declare function local:minute($time as xs:dateTime) as xs:integer {
  xs:integer(floor(($time - xs:dateTime("2020-01-01T00:00:00Z")) div xs:dayTimeDuration("PT1M")))
};

declare function local:slot($stretch as xs:string, $minute as xs:integer) as xs:string {
  $stretch || "@" || $minute mod 6
};

declare function local:count(
  $stretch as xs:string, $minute as xs:integer, $is-new as xs:boolean, $speed as xs:integer
) as empty-sequence() {
  let $slot := local:slot($stretch, $minute)
  let $found := $minutes($slot)
  let $before := if ($found?minute eq $minute) then $found else map { "vehicles": 0, "reports": 0, "speeds": 0 }
  let $all as xs:integer := $before?vehicles + (if ($is-new) then 1 else 0)
  let $reports as xs:integer := $before?reports + 1
  let $speeds as xs:integer := $before?speeds + $speed
  return set $minutes := map:put($minutes, $slot,
    map { "minute": $minute, "vehicles": $all, "reports": $reports, "speeds": $speeds })
};

declare function local:notice($vehicle as xs:string, $stretch as xs:string, $minute as xs:integer) as element() {
  let $past :=
    for $earlier in $minute - 5 to $minute - 1
    let $found := $minutes(local:slot($stretch, $earlier))
    where $found?minute eq $earlier
    return $found
  return
    <Notice vehicle="{ $vehicle }" stretch="{ $stretch }"
        speed="{ if (empty($past)) then 0 else round(sum($past?speeds) div sum($past?reports)) }"
        vehicles="{ ($past[?minute eq $minute - 1]?vehicles, 0)[1] }">{
      $blocked($stretch) ! <Blocked at="{ . }"/>
    }</Notice>
};

(: Four reports from one place: a vehicle stands there. The second one blocks the stretch. :)
declare function local:stand($vehicle as xs:string, $stretch as xs:string, $place as xs:string) as empty-sequence() {
  let $there := $standing($place)
  where not($there = $vehicle)
  return {
    set $standing := map:put($standing, $place, ($there, $vehicle));
    if (count($there) eq 1) then set $blocked := map:put($blocked, $stretch, ($blocked($stretch), $place)) else ()
  }
};

(: The first one that moves on clears it. :)
declare function local:move($vehicle as xs:string, $stretch as xs:string, $place as xs:string) as empty-sequence() {
  if ($standing($place) = $vehicle) then {
    set $standing := map:put($standing, $place, ());
    set $blocked := map:put($blocked, $stretch, $blocked($stretch)[. ne $place])
  } else ()
};

<Notices xmlns="http://www.siri.org.uk/siri">{
  for $activity in /Siri/ServiceDelivery/VehicleMonitoringDelivery/VehicleActivity
  let $journey := $activity/MonitoredVehicleJourney
  let $vehicle := string($journey/VehicleRef)
  let $minute := local:minute(xs:dateTime($activity/RecordedAtTime))
  let $stretch := $journey/LineRef || " " || $journey/DirectionRef || " to " || $journey/MonitoredCall/StopPointRef
  let $place := $journey/VehicleLocation/Longitude || "," || $journey/VehicleLocation/Latitude
  let $before := $vehicles($vehicle)
  let $stays := $before?stretch eq $stretch
  let $is-still := $before?place eq $place
  let $times := if ($is-still) then xs:integer($before?times) + 1 else 1
  return {
    local:count($stretch, $minute, not($stays and $before?minute eq string($minute)), xs:integer($journey/Velocity));
    if ($before?times ge "4" and not($is-still)) then local:move($vehicle, $before?stretch, $before?place) else ();
    if ($times eq 4) then local:stand($vehicle, $stretch, $place) else ();
    set $vehicles := map:put($vehicles, $vehicle, map {
      "stretch": $stretch, "place": $place, "times": string(min(($times, 9))), "minute": string($minute) });
    if ($stays) then () else local:notice($vehicle, $stretch, $minute)
  }
}</Notices>
