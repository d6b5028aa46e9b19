(: Thesis on StreamGlobe, FluX and best-match joins, appendix C.1, query 8. :)
<query8>
{ for $p in /site/people/person return
    <item>
      <person>
        {$p/name}
      </person>
      <items_bought>
        { for $t in /site/closed_auctions/closed_auction
          where $t/buyer/buyer_person = $p/person_id
          return
            <result>
              {$t}
            </result> }
      </items_bought>
    </item> }
</query8>
