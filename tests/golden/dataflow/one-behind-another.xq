(: Two lists of the same records, with the mean of one of them between. :)
<r><a>{ /s/p/x }</a><m>{ avg(/s/p/x) }</m><b>{ for $p in /s/p where $p/x > 3 return $p/y }</b></r>
