(: Thesis on StreamGlobe, FluX and best-match joins, section 2.3.2, query RXJ-trans. :)
<photons>
{ for $p in stream("rxj-photons")/photons/photon
  return
    <rxj>
      {$p/*}
    </rxj> }
</photons>
