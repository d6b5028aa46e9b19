(: document: auction :)
(:~ richest :) (for $p in //person order by number($p/profile/@income) descending empty least return $p/name/string())[position() le 3]
(:~ items by region :) for $r in /site/regions/* order by count($r/item) descending, name($r) return name($r) || " " || count($r/item)
(:~ bidders of an auction :) for $a in /site/open_auctions/open_auction[count(bidder) > 3] return $a/@id || ":" || count(distinct-values($a/bidder/personref/@person))
(:~ join person and auction :) for $a in //open_auction, $p in //person where $a/seller/@person = $p/@id return <sold by="{ $p/name }">{ $a/current/text() }</sold>
(:~ join with a filter :) for $c in //closed_auction[price > 100], $i in //item[@id = $c/itemref/@item] order by number($c/price) return $i/location || " " || $c/price
(:~ grouped by country :) for $p in //person[address] group by $c := $p/address/country/string() order by count($p) descending, $c return $c || ": " || count($p)
(:~ average by type :) for $a in //closed_auction group by $t := $a/type/string() order by $t return $t || " " || round(avg($a/price), 2)
(:~ watchers :) for $p in //person[watches/watch] order by count($p/watches/watch) descending, $p/@id return $p/@id || " " || count($p/watches/watch)
(:~ longest description :) max(//item/string-length(description))
(:~ marks by kind :) for $m in //(bold | keyword | emph) group by $n := name($m) order by $n return $n || " " || count($m)
(:~ nested marks :) count(//text/(bold | keyword | emph)//(bold | keyword | emph))
(:~ dates sorted :) (for $d in //mail/date order by substring($d, 7), substring($d, 1, 5) return string($d))[position() = (1, last())]
(:~ words :) for $w in //category[1]/description//text() ! tokenize(.) group by $l := string-length($w) order by $l return $l || ":" || count($w)
(:~ running total :) let $a := //open_auction[bidder][1] return fold-left($a/bidder/increase, 0, function ($sum, $i) { $sum + xs:decimal($i) }) + xs:decimal($a/initial) = xs:decimal($a/current)
(:~ categories without items :) //category[not(@id = //incategory/@category)]/@id/string()
(:~ items in several categories :) for $i in //item let $n := count(distinct-values($i/incategory/@category)) where $n gt 1 order by $n descending, $i/@id return $i/@id || " " || $n
(:~ restructured :) <people>{ for $p in //person[profile/age] order by xs:integer($p/profile/age), $p/@id return <p age="{ $p/profile/age }">{ $p/name/text(), $p/profile/interest }</p> }</people>
(:~ semi join :) count(//person[@id = //bidder/personref/@person])
(:~ anti join :) count(//person[not(@id = (//seller, //buyer)/@person)])
(:~ bids in sliding pairs :) for $a in //open_auction[count(bidder) gt 2][1] for sliding window $w in $a/bidder/increase/xs:decimal(.) start at $s when true() only end at $e when $e eq $s + 1 return $w[2] - $w[1]
