(: Thesis on StreamGlobe, FluX and best-match joins, appendix C.1, query 16.
   Corrected: no sign of continuation inside the path. :)
<query16>
{ for $a in /site/closed_auctions/closed_auction
  where fn:not(fn:empty($a/annotation/description/parlist/listitem/
                        parlist/listitem/text/emph/keyword))
  return
    $a/seller/seller_person }
</query16>
