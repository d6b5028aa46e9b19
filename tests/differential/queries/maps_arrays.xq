(:~ map :) map { "a": 1, "b": (2, 3), 3: [] }?b
(:~ map get :) (map:get(map { 1: "x" }, 1.0), map { 1: "x" }(1e0), empty(map { "1": "x" }(1)))
(:~ map keys :) for $k in map:keys(map { "b": 1, "a": 2, "c": 3 }) order by $k return $k
(:~ map put and remove :) (map:size(map:put(map { "a": 1 }, "b", 2)), map:put(map { "a": 1 }, "a", 2)?a, map:contains(map:remove(map { "a": 1, "b": 2 }, "a"), "a"))
(:~ map merge :) (map:merge((map { "a": 1 }, map { "a": 2 }))?a, map:merge((map { "a": 1 }, map { "a": 2 }), map { "duplicates": "use-last" })?a, map:merge((map { "a": 1 }, map { "a": 2 }), map { "duplicates": "combine" })?a)
(:~ map for-each :) sort(map:for-each(map { 1: "a", 2: "b" }, function ($k, $v) { $k || $v }))
(:~ map find :) map:find((map { "a": 1 }, [map { "a": 2, "b": map { "a": 3 } }]), "a")
(:~ map entry and merge in a loop :) let $m := map:merge(for $w in tokenize("a b a c a b") group by $w return map:entry($w, count($w))) return for $k in map:keys($m) order by $k return $k || $m($k)
(:~ lookup wildcard :) sort(map { "a": 1, "b": 2 }?*)
(:~ lookup on a sequence of maps :) (map { "n": 1 }, map { "n": 2 }, map { "m": 3 })?n
(:~ lookup in parentheses :) map { "a": 1, "b": 2, "c": 3 }?("a", "c")
(:~ unary lookup :) (map { "p": 5 }, map { "p": 50 })[?p > 10]?p
(:~ array :) [1, (2, 3), []]
(:~ array curly :) array { 1 to 3, "x" }
(:~ array size and get :) (array:size([1, (2, 3)]), [1, (2, 3)](2), [1, 2, 3]?2, array:get(["a", "b"], 1))
(:~ array functions :) (array:append([1], 2), array:join(([1], [2, 3])), array:reverse([1, 2, 3]), array:tail([1, 2]), array:head([(1, 2), 3]), array:subarray([1, 2, 3, 4], 2, 2))
(:~ array put insert remove :) (array:put([1, 2], 1, "x"), array:insert-before([1, 2], 2, "x"), array:remove([1, 2, 3], (1, 3)))
(:~ array higher order :) (array:for-each([1, 2], function ($x) { $x * 2 }), array:filter([1, 2, 3], function ($x) { $x > 1 }), array:fold-left([1, 2, 3], 0, function ($a, $b) { $a + $b }), array:fold-right(["a", "b"], "", concat#2))
(:~ array sort :) (array:sort([3, 1, 2]), array:sort(["bb", "a", "ccc"], (), string-length#1), array:for-each-pair([1, 2], [10, 20], function ($a, $b) { $a + $b }))
(:~ array flatten :) (array:flatten([1, [2, [3, 4]], (5, [6])]), data([1, [2]]), count([1, 2, 3]), array:size([]))
(:~ array lookup wildcard :) [1, (2, 3), [4]]?*
(:~ arrays are atomized :) ([1, 2, 3] = 2, sum([1, 2, 3]), string-join([("a", "b"), "c"], "-"))
(:~ nested :) let $d := map { "people": [map { "name": "Ann", "age": 30 }, map { "name": "Bob", "age": 25 }] } return for $p in $d?people?* order by $p?age return $p?name || " " || $p?age
(:~ map with date keys :) map { xs:date("2024-01-01"): "x" }(xs:date("2024-01-01"))
(:~ map NaN key :) map { xs:double("NaN"): 1 }(xs:float("NaN"))
(:~ deep-equal :) (deep-equal(map { "a": (1, 2) }, map { "a": (1, 2) }), deep-equal([1, [2]], [1, [2]]), deep-equal([1], [2]), deep-equal(map { 1: 2 }, map { 1.0: 2e0 }))
(:~ maps as functions :) (for-each((1, 3), map { 1: "one", 2: "two", 3: "three" }), map { "a": 1 } instance of function(*), [1] instance of array(xs:integer), map { "a": 1 } instance of map(xs:string, xs:integer))
(:~ group into a map :) let $m := map:merge(for $i in 1 to 10 group by $k := $i mod 3 return map { $k: $i }) return ($m(0), "|", $m(1), "|", $m(2))
(:~ single entry printed :) map { "a": (1, "x", 2.5, true(), 1e0) }
(:~ array in a map printed :) map { "a": [1, "b", ()] }
