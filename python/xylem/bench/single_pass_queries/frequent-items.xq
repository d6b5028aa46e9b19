(: Frequent items in one pass (Karp, Shenker and Papadimitriou, as in single-pass.txt, section 6): all addresses that
   more than one packet in $parts comes from are in the answer, perhaps with others. A table of at most $parts - 1 counters
   is carried along: a packet from an address in the table counts; from another one it takes a free place; and where
   there is none, every counter goes down, and those that come to nothing leave. :)
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
