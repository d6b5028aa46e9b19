(:~ parse-json :) parse-json('{"a": [1, 2.5, "x", true, null], "b": {"c": "d"}}')?a?*
(:~ parse-json nested :) parse-json('{"a": {"b": [{"c": 1}, {"c": 2}]}}')?a?b?*?c
(:~ parse-json escapes :) parse-json('"a\u00e9\n\"\\"')
(:~ parse-json numbers :) (parse-json("1e3"), parse-json("-0.5") instance of xs:double)
(:~ duplicates :) parse-json('{"a": 1, "a": 2}', map { "duplicates": "use-last" })?a
(:~ json-to-xml :) json-to-xml('{"a": [1, "x", true, null]}')
(:~ xml-to-json :) xml-to-json(<map xmlns="http://www.w3.org/2005/xpath-functions"><number key="a">1</number><array key="b"><string>x</string><null/><boolean>true</boolean></array></map>)
(:~ there and back :) xml-to-json(json-to-xml('{"x":[1,2,{"y":"z"}]}'))
(:~ serialize as json :) serialize(map { "a": [1, "x", true()] }, map { "method": "json" })
(:~ serialize escapes :) serialize('a"b\c/é&#10;', map { "method": "json" })
(:~ serialize null :) serialize([(), 1], map { "method": "json" })
(:~ filter json :) for $p in parse-json('[{"n": "a", "v": 3}, {"n": "b", "v": 1}]')?* where $p?v > 2 return $p?n
(:~ build json :) serialize(array { for $i in 1 to 3 return map { "i": $i } }, map { "method": "json" })
