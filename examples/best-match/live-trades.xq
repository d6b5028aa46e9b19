(: The as-of join of trades.xq over two streams that never end: both come in the order of @at. :)
for $trade in stream("trades")
for $quote in stream("quotes")
where $quote/@symbol = $trade/@symbol and $trade/@at - $quote/@at ge 0
where $trade left outer bestmatch join $quote on ($trade/@at - $quote/@at) min 5
return <trade>{ $trade/@symbol, $trade/@price, $quote/@bid, attribute age { $trade/@at - $quote/@at } }</trade>
