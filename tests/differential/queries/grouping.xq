(: document: readings :)
(:~ group by key :) for $r in //r group by $s := string($r/@s) order by $s return $s || "=" || count($r)
(:~ sum of a group :) for $r in //r let $v := xs:decimal($r) group by $s := $r/@s/string() order by $s return $s || ":" || sum($v)
(:~ group by an expression :) for $i in 1 to 10 group by $k := $i mod 3 order by $k return $k || ":" || string-join($i, ",")
(:~ two keys :) for $i in 1 to 12 group by $a := $i mod 2, $b := $i mod 3 order by $a, $b return $a || $b || ":" || string-join($i, " ")
(:~ key from a variable :) for $i in (1, 2, 3, 4) let $k := if ($i le 2) then "low" else "high" group by $k order by $k return ($k, sum($i))
(:~ empty key :) for $x in (1, 2, 3) group by $k := if ($x = 2) then () else 0 order by $k empty least return string-join(($k, ":", $x))
(:~ numeric keys of different types :) sort(for $x in (1, 1.0, 1e0, 2) group by $k := $x return count($x))
(:~ untyped key compares as string :) for $x in (<a>1</a>, <a>1.0</a>, <a>1</a>) group by $k := data($x) order by $k return count($x)
(:~ NaN is one group :) sort(for $x in (xs:double("NaN"), 1, xs:float("NaN")) group by $k := $x return count($x))
(:~ where after group by :) for $r in //r group by $s := string($r/@s) where count($r) > 2 order by $s return $s
(:~ let after group by :) for $r in //r group by $s := string($r/@s) let $m := max($r/xs:decimal(.)) order by $m descending return $s || $m
(:~ group with collation :) sort(for $x in ("a", "A", "b") group by $k := $x collation "http://www.w3.org/2005/xpath-functions/collation/html-ascii-case-insensitive" return count($x))
(:~ group by type :) for $x as xs:integer in (1, 2, 3) group by $k as xs:boolean := $x gt 1 order by $k return sum($x)
(:~ count after group :) for $r in //r group by $s := string($r/@s) order by $s count $i return $i || $s
(:~ distinct-values :) distinct-values(//r/@s)
(:~ distinct-values of numbers :) distinct-values((1, 1.0, 2e0, 2, "1", xs:float("1")))
