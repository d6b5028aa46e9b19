(: An alert for each minute in which the photons of RXJ0852.0-4622 have more than 1.3 keV on average. :)
for $minute in /photons/photon[ra > 130.5 and ra < 135.5 and dec > -48.0 and dec < -45.0]|det_time diff 60 step 60|
let $energy := avg($minute/en)
where $energy > 1.3
return <alert photons="{ count($minute) }">{ round($energy, 3) }</alert>
