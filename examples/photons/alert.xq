(: An alert for each minute in which the photons of RXJ0852.0-4622 have more than 1.3 keV on average. :)
for $minute in /photons/photon|det_time diff 60 step 60|
let $rxj := $minute[ra > 130.5 and ra < 135.5 and dec > -48.0 and dec < -45.0]
let $energy := avg($rxj/en)
where $energy > 1.3
return <alert from="{ $rxj[1]/det_time }" to="{ $rxj[last()]/det_time }" photons="{ count($rxj) }">{ round($energy, 3) }</alert>
