(: As-of join: the condition before the join says which quotes count, the order which of them is best. :)
for $trade in doc("trades.xml")/trades/trade
for $quote in doc("quotes.xml")/quotes/quote
where $quote/@symbol = $trade/@symbol and $trade/@at - $quote/@at ge 0
where $trade left outer bestmatch join $quote on ($trade/@at - $quote/@at) min 5
return <trade>{ $trade/@symbol, $trade/@price, $quote/@bid, attribute age { $trade/@at - $quote/@at } }</trade>
