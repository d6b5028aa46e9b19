(: Thesis on StreamGlobe, FluX and best-match joins, example 3.8.22, query Q8.
   Corrected: no braces around inner loops and variables, which the fragment XQuery- wants and XQuery does not. :)
<results>
{ for $r in $ROOT/root return
  for $x in $r/a return
    <result>
      { for $b in $x/b return $b }
      { for $w in $x/c/d|count 4 step 4| return
          <winavg>
            {fn:avg($w)}
          </winavg> }
    </result> }
</results>
