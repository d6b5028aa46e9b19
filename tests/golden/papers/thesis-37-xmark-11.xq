(: Thesis on StreamGlobe, FluX and best-match joins, appendix C.1, query 11. :)
<query11>
{ for $p in /site/people/person return
    <items>
      {$p/name}
      { for $o in /site/open_auctions/open_auction
        where $p/profile/profile_income > (5000 * $o/initial)
        return
          $o/open_auction_id }
    </items> }
</query11>
