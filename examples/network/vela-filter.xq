(: What the filter of vela.xq leaves: its photons, with the elements that its result reads. :)
<photons>{
  for $p in /photons/photon
  where $p/ra > 120.0 and $p/ra < 138.0 and $p/dec > -49.0 and $p/dec < -40.0
  return <photon>{ $p/ra, $p/dec, $p/phc, $p/en, $p/det_time }</photon>
}</photons>
