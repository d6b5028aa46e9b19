/site/people/person[@id = /site/closed_auctions/closed_auction/buyer/@person]/name
