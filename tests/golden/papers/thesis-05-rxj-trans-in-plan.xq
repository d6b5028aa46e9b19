(: Thesis on StreamGlobe, FluX and best-match joins, figure 2.8, operator rxj-trans. :)
<photons>
{ for $p in stream("rxj-filter")/photons/photon
return
<rxj>
{$p/*}

</rxj> }
</photons>
