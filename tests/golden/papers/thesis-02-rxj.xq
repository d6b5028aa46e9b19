(: Thesis on StreamGlobe, FluX and best-match joins, section 2.1, subscription RXJ. :)
<photons>
{ for $p in stream("photons")/photons/photon
  where $p/en > 1.3 and
        $p/ra > 130.5 and $p/ra < 135.5 and
        $p/dec > -48.0 and $p/dec < -45.0
  return
    <rxj>
      {$p/ra} {$p/dec}
      {$p/en}
      {$p/det_time}
    </rxj> }
</photons>
