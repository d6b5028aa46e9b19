(: Thesis on StreamGlobe, FluX and best-match joins, section 2.1, subscription Vela. :)
<photons>
{ for $p in stream("photons")/photons/photon
  where $p/ra > 120.0 and $p/ra < 138.0 and
        $p/dec > -49.0 and $p/dec < -40.0
  return
    <vela>
      {$p/ra} {$p/dec}
      {$p/phc} {$p/en}
      {$p/det_time}
    </vela> }
</photons>
