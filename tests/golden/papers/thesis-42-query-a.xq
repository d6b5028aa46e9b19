(: Thesis on StreamGlobe, FluX and best-match joins, appendix C.2, query A. :)
<query_agg>
{ for $a in /site/closed_auctions return
  for $c in $a/closed_auction
  where $c/price = fn:max($a/closed_auction/price)
  return
    $c }
</query_agg>
