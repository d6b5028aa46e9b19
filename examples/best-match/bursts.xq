(: Thesis, section 2.4, subscription Bursts: seen again at the same place one orbit, 5400 seconds, later.
   Each photon of the stream has its answer when it has come. :)
<photons>
{ for $p1 in stream("photons")/photons/photon
  for $p2 in doc("photons-before.xml")/photons/photon
  where $p1 left outer bestmatch join $p2 on
    (fn:abs($p1/det_time - ($p2/det_time + 5400))) min 250,
    (fn:abs($p1/ra - $p2/ra)) min 0.1,
    (fn:abs($p1/dec - $p2/dec)) min 0.1
  return
    <rel_energy>
      {$p1/ra} {$p1/dec}
      {$p1/en - $p2/en}
    </rel_energy> }
</photons>
