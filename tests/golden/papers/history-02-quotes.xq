(: Processing Continuous Historical Queries over XML Update Streams, section 4, query 2.
   Corrected: `>=` for the sign of the paper. :)
for $q in stream("tickers")//ticker
where $q/quote >= $q/quote#1 * 1.1
order by ($q/quote - $q/quote#1) div $q/quote
return <quote>{ $q/name, $q/quote }</quote>
