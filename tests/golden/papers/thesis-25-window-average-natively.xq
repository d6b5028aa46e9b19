(: Thesis on StreamGlobe, FluX and best-match joins, example 3.8.15, query Q7 without data windows.
   Corrected: a declared function needs a prefix; `</win>` closes `<winavg>`; fn:avg takes `$w`, for `$e` is not in scope. :)
declare function local:cwin($count as xs:integer, $step as xs:integer,
                            $e as node()*)
  as node()*
{
  let $win := fn:subsequence($e, 1, $count)
  let $rest := fn:subsequence($e, $step + 1)
  return
    if (fn:count($e) <= $count) then
      (<wc>{$win}</wc>)
    else
      (<wc>{$win}</wc>, local:cwin($count, $step, $rest))
};

for $x in /root/a return
  <result>
    {$x/b}
    {for $tmp in local:cwin(4, 2, $x/c/d)
     let $w := $tmp/*
     return
       <winavg>{fn:avg($w)}</winavg>}
  </result>
