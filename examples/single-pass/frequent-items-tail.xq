(: The query of frequent-items.xq with a tail call: the table is carried along, and engines that turn tail calls into loops
   need no deep stack for it. :)
declare namespace map = "http://www.w3.org/2005/xpath-functions/map";
declare variable $parts as xs:integer external := 10;

declare function local:counted($table as map(*), $address as xs:string) as map(*)
{
  if (map:contains($table, $address))
  then map:put($table, $address, $table($address) + 1)
  else if (map:size($table) < $parts - 1)
  then map:put($table, $address, 1)
  else map:merge(
    for $known in map:keys($table)
    where $table($known) > 1
    return map:entry($known, $table($known) - 1))
};

declare function local:frequent($packets, $table as map(*)) as map(*)
{
  if (empty($packets))
  then $table
  else local:frequent(tail($packets), local:counted($table, string(head($packets)/source)))
};

let $table := local:frequent(/capture/packet, map { })
for $address in map:keys($table)
order by $address
return <address>{ $address }</address>
