(: How many photons in each band of half a kilo-electronvolt, with a bar for each. :)
declare option output:method "text";
declare option output:item-separator "&#10;";

for $p in /photons/photon
group by $band := floor(xs:decimal($p/en) * 2) div 2
order by $band
return ``[`{ format-number($band, "0.0") }` keV `{ format-number(count($p), "0000") }` `{ string-join((1 to count($p) idiv 10) ! "*") }`]``
