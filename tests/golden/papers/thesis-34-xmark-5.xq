(: Thesis on StreamGlobe, FluX and best-match joins, appendix C.1, query 5. :)
<query5>
{ for $i in /site/closed_auctions/closed_auction
  where $i/price >= 40
  return
    $i/price }
</query5>
