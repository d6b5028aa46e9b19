(: Frequent items in one pass (Karp, Shenker and Papadimitriou, as in single-pass.txt, section 6): all addresses that
   more than one packet in $parts comes from are in the answer, perhaps with others. A table of at most $parts - 1 counters
   is kept: a packet from an address in the table counts; from another one it takes a free place; and where there is
   none, every counter goes down, and those that come to nothing leave.

   The recursion is that of figure 1: the value for a sequence is made of one item and the value for the others. Here the
   order matters, so it is the last item that is added to the table of those before. :)
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

declare function local:frequent($p) as map(*)
{
  if (fn:empty($p))
  then map { }
  else local:counted(local:frequent(fn:subsequence($p, 1, fn:count($p) - 1)), fn:string($p[fn:last()]/source))
};

let $table := local:frequent(/capture/packet)
for $address in map:keys($table)
order by $address
return <address>{ $address }</address>
