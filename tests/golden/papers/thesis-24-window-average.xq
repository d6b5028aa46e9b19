(: Thesis on StreamGlobe, FluX and best-match joins, example 3.8.15, query Q7. :)
<results>
{ for $x in /root/a return
    <result>
      {$x/b}
      {for $w in $x/c/d|count 4 step 2| return
        <winavg>
          {fn:avg($w)}
        </winavg>}
    </result> }
</results>
