(: Auctions that caught fire: pairs of bids of which the second raises at least three times as much as the first. :)
for $auction in /site/open_auctions/open_auction
for sliding window $pair in $auction/bidder/increase/xs:decimal(.)
  start at $first when true()
  only end at $second when $second eq $first + 1
where $pair[2] ge 3 * $pair[1]
return <jump auction="{ $auction/@id }" from="{ $pair[1] }" to="{ $pair[2] }"/>
