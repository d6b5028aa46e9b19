(: document: books :)
(:~ for and return :) for $b in /bib/book return string($b/@year)
(:~ at :) for $b at $i in /bib/book return $i || ":" || $b/@id
(:~ two fors :) for $x in 1 to 3, $y in $x to 3 return $x * 10 + $y
(:~ let :) let $p := /bib/book/price return sum($p)
(:~ let between fors :) for $x in 1 to 3 let $y := $x * $x for $z in 1 to $x return $y + $z
(:~ where :) for $b in /bib/book where $b/price > 50 return $b/title/string()
(:~ two wheres :) for $b in /bib/book where $b/price where $b/@year > "1993" return $b/@id/string()
(:~ order by number :) for $b in /bib/book order by number($b/price) return $b/@id/string()
(:~ order by descending and second key :) for $b in /bib/book order by $b/publisher descending, $b/@year return $b/@id/string()
(:~ order by empty least :) for $b in /bib/book order by $b/price/xs:decimal(.) empty least return $b/@id/string()
(:~ order by empty greatest :) for $b in /bib/book order by $b/price/xs:decimal(.) empty greatest return $b/@id/string()
(:~ order by NaN :) for $x in (3e0, xs:double("NaN"), 1e0, -1e0) order by $x return $x
(:~ stable order by :) for $x at $i in ("b", "a", "B", "A") stable order by lower-case($x) return $x || $i
(:~ order by two keys with let :) for $b in /bib/book let $n := count($b/author) order by $n descending, $b/title return $b/@id || "=" || $n
(:~ count clause :) for $b in /bib/book order by $b/title count $i return $i || " " || $b/title
(:~ count before where :) for $x in ("a", "b", "c", "d") count $i where $i mod 2 = 0 return $x
(:~ count after where :) for $x in ("a", "b", "c", "d") where $x ne "b" count $i return $x || $i
(:~ allowing empty :) for $b in /bib/book for $p allowing empty in $b/price return $b/@id || "/" || $p
(:~ allowing empty with at :) for $x allowing empty at $i in () return ($i, empty($x))
(:~ typed for :) for $x as xs:integer in (1, 2, 3) return $x + 1
(:~ join on equality :) for $a in /bib/book, $b in /bib/book where $a/author/last = $b/author/last and $a << $b return $a/@id || "-" || $b/@id
(:~ join with a missing partner :) for $y in ("1992", "1993", "1994") return count(/bib/book[@year = $y])
(:~ outer join by let :) for $p in distinct-values(/bib/book/publisher) let $b := /bib/book[publisher = $p] order by $p return $p || ":" || string-join($b/@id, ",")
(:~ nested flwor :) for $b in /bib/book return <b>{ for $a in $b/author order by $a/last return <a>{ string($a/last) }</a> }</b>
(:~ shadowed names :) let $x := 1 let $x := $x + 1 return (for $x in ($x, $x * 2) return $x + 100)
(:~ some with two ranges :) some $x in (1, 2), $y in (2, 3) satisfies $x = $y
(:~ every over nothing :) every $x in () satisfies false()
(:~ if else :) for $b in /bib/book return if ($b/price) then xs:decimal($b/price) else "none"
(:~ switch :) for $b in /bib/book return switch (string($b/@year)) case "1994" case "1992" return "old" case "2000" return "new" default return "other"
(:~ where on position variable :) for $b at $i in /bib/book where $i gt 3 return $b/title/string()
(:~ a for over a for :) for $p in (for $b in /bib/book order by $b/@year return $b/title) return string($p)
(:~ order by with collation :) for $x in ("b", "A", "a", "B") order by $x collation "http://www.w3.org/2005/xpath-functions/collation/codepoint" return $x
