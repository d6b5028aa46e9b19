(: Efficient Evaluation of XQuery over Streaming Data, figure 1.
   Corrected: the figure is damaged. The declaration stands in the prolog and its name has a prefix; `double` is xs:double;
   `else` has no braces; fn:max takes one sequence; the condition on the pixels is a predicate, since `where` came
   before what it filters; `unordered` has braces; `latitute` is latitude; longitude and summary are what the text says. :)
declare function local:accumulate($p) as xs:double
{
  let $inp := $p[1]
  let $NVDI := (($inp/band1 - $inp/band0) div
                ($inp/band1 + $inp/band0) + 1) * 512
  return
    if (fn:empty($p))
    then 0
    else fn:max(($NVDI, local:accumulate(fn:subsequence($p, 2))))
};
unordered {
  for $i in ($minx to $maxx)
  for $j in ($miny to $maxy)
  let $p := /stream/data/pixel[x = $i and y = $j]
  return
    <pixel>
      <latitude> {$i} </latitude>
      <longitude> {$j} </longitude>
      <summary> {local:accumulate($p)} </summary>
    </pixel>
}
