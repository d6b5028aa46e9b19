(: Who sells most, and what stands in the open auctions: a join of people with auctions, grouped and sorted. :)
for $auction in /site/open_auctions/open_auction
for $person in /site/people/person[@id = $auction/seller/@person]
let $current := xs:decimal($auction/current)
group by $name := string($person/name)
order by sum($current) descending, $name
count $rank
where $rank le 5
return <seller rank="{ $rank }" auctions="{ count($auction) }" total="{ sum($current) }">{ $name }</seller>
