(: The photons from the area of the Vela supernova remnant, with what is needed to check their energy. :)
<photons>{
  for $p in /photons/photon
  where $p/ra > 120.0 and $p/ra < 138.0 and $p/dec > -49.0 and $p/dec < -40.0
  return <vela>{ $p/ra, $p/dec, $p/phc, $p/en, $p/det_time }</vela>
}</photons>
