(: High-energetic photons of the smaller area RXJ0852.0-4622, which only shows above 1.3 keV. :)
<photons>{
  for $p in /photons/photon
  where $p/en > 1.3 and $p/ra > 130.5 and $p/ra < 135.5 and $p/dec > -48.0 and $p/dec < -45.0
  return <rxj>{ $p/ra, $p/dec, $p/en, $p/det_time }</rxj>
}</photons>
