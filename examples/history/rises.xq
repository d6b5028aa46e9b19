(: Query 2 of the paper: stocks that rose by 10 % or more since their last quotation, by their rate of change. :)
for $q in stream("tickers")//ticker
where $q/quote >= $q/quote#1 * 1.1
order by ($q/quote - $q/quote#1) div $q/quote
return <quote>{ $q/name, $q/quote }</quote>
