(: An alert for each minute in which the photons of RXJ0852.0-4622 have more than 1.3 keV on average. :)
for tumbling window $minute in
    /photons/photon[ra > 130.5 and ra < 135.5 and dec > -48.0 and dec < -45.0]
  start $first when true()
  end $last next $next when $next/det_time >= $first/det_time + 60
let $energy := avg($minute/en)
where $energy > 1.3
return <alert from="{ $first/det_time }" to="{ $last/det_time }" photons="{ count($minute) }">{ round($energy, 3) }</alert>
