(: Thesis on StreamGlobe, FluX and best-match joins, appendix C.2, query W2. :)
<query_win>
{ for $w in /site/open_auctions/open_auction|count 10 step 5|
  return
    <max_item>
      {fn:max($w/current)}
    </max_item> }
</query_win>
