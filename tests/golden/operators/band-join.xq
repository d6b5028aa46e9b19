for $p in /site/people/person
return <n>{ count(/site/open_auctions/open_auction/initial[$p/profile/@income > 5000 * .]) }</n>
