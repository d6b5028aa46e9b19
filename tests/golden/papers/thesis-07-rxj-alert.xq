(: Thesis on StreamGlobe, FluX and best-match joins, section 2.4, subscription RXJ-alert. :)
<photons>
{ for $w in stream("photons")/photons/photon
    [ra > 130.5 and ra < 135.5 and dec > -48.0 and dec < -45.0]
    |det_time diff 60 step 15|
  let $a := avg($w/photon/en)
  where $a > 1.3
  return
    <avg_energy> {$a} </avg_energy> }
</photons>
