<report n="{ count(//order) }" version="{ /shop/@version }">
  <cities>{ distinct-values(//city) }</cities>
  <orders>{ for $o in //order return <o>{ $o/@id }</o> }</orders>
  { if (exists(//order[total > 100])) then <large>{ //order[total > 100] }</large> else () }
</report>
