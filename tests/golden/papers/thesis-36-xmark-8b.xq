(: Thesis on StreamGlobe, FluX and best-match joins, appendix C.1, query 8b. :)
<query8b>
{ for $t in /site/closed_auctions/closed_auction return
    <item>
      <auction>
        {$t}
      </auction>
      { for $p in /site/people/person
        where $t/buyer/buyer_person = $p/person_id
        return
          <buyer>
            {$p/name}
          </buyer> }
    </item> }
</query8b>
