(: Virtual microscope: a part of a slide at a lower magnification (single-pass.txt, section 6). Each pixel of the picture
   is the mean of the square of $subsample × $subsample pixels of the slide that it stands for. :)
declare variable $subsample as xs:integer external := 4;
declare variable $left as xs:integer external := 0;
declare variable $right as xs:integer external := 7;
declare variable $top as xs:integer external := 0;
declare variable $bottom as xs:integer external := 7;

declare function local:total($p as element()*) as xs:integer
{
  if (empty($p)) then 0
  else xs:integer(head($p)/grey) + local:total(tail($p))
};

declare function local:number($p as element()*) as xs:integer
{
  if (empty($p)) then 0 else 1 + local:number(tail($p))
};

<picture>{
  for $row in $top to $bottom
  for $column in $left to $right
  let $square := /slide/pixel[xs:integer(x) idiv $subsample = $column and xs:integer(y) idiv $subsample = $row]
  where exists($square)
  return <pixel x="{ $column }" y="{ $row }">{ local:total($square) idiv local:number($square) }</pixel>
}</picture>
