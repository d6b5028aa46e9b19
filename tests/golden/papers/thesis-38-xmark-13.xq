(: Thesis on StreamGlobe, FluX and best-match joins, appendix C.1, query 13. :)
<query13>
{ for $i in $ROOT/site/regions/australia/item return
    <item>
      <name>
        {$i/name}
      </name>
      <desc>
        {$i/description}
      </desc>
    </item> }
</query13>
