(: Composite image of a satellite: the greenest of all measurements of each place (single-pass.txt, figure 1).
   Each place asks for the pixels that lie on it; all places are answered by one pass over the pixels. :)
declare variable $minx as xs:integer external := 0;
declare variable $maxx as xs:integer external := 9;
declare variable $miny as xs:integer external := 0;
declare variable $maxy as xs:integer external := 9;

declare function local:accumulate($p) as xs:double
{
  let $inp := $p[1]
  let $NDVI := (($inp/band1 - $inp/band0) div ($inp/band1 + $inp/band0) + 1) * 512
  return
    if (fn:empty($p))
    then 0
    else fn:max(($NDVI, local:accumulate(fn:subsequence($p, 2))))
};

unordered {
  for $i in $minx to $maxx
  for $j in $miny to $maxy
  let $p := /stream/data/pixel[x = $i and y = $j]
  return
    <pixel>
      <latitude>{ $i }</latitude>
      <longitude>{ $j }</longitude>
      <summary>{ local:accumulate($p) }</summary>
    </pixel>
}
