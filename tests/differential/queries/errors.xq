(:~ division by zero :) try { 1 div 0 } catch err:FOAR0001 { "caught" }
(:~ code :) try { xs:integer("x") } catch * { local-name-from-QName($err:code) }
(:~ type error, not caught :) "a" + 1
(:~ own error :) try { error(xs:QName("local:mine"), "sorry", (1, 2)) } catch local:mine { $err:description, $err:value }
(:~ error without arguments :) try { error() } catch * { local-name-from-QName($err:code) }
(:~ choice of catches :) try { error(xs:QName("err:XYZ0001")) } catch err:FOAR0001 { 1 } catch err:XYZ0001 | err:XYZ0002 { 2 } catch * { 3 }
(:~ wildcard namespace :) try { 1 idiv 0 } catch err:* { "err" }
(:~ wildcard local :) try { error(xs:QName("local:a")) } catch *:a { "a" }
(:~ nested :) try { try { 1 div 0 } catch * { error(xs:QName("local:again")) } } catch * { local-name-from-QName($err:code) }
(:~ no error :) try { 1 + 1 } catch * { "never" }
(:~ exactly-one :) for $s in (0, 1, 2) return try { exactly-one(1 to $s) } catch * { local-name-from-QName($err:code) }
(:~ zero-or-one :) try { zero-or-one((1, 2)) } catch * { local-name-from-QName($err:code) }
(:~ one-or-more :) try { one-or-more(()) } catch * { local-name-from-QName($err:code) }
(:~ treat :) try { ("a" treat as xs:integer) } catch * { local-name-from-QName($err:code) }
(:~ effective boolean, not caught :) if ((1, 2)) then 1 else 2
(:~ invalid date :) try { xs:date("2023-02-29") } catch * { local-name-from-QName($err:code) }
(:~ regular expression :) try { matches("a", "[") } catch * { local-name-from-QName($err:code) }
(:~ regular expression matching nothing :) try { replace("abc", "x*", "-") } catch * { local-name-from-QName($err:code) }
(:~ array bounds :) try { [1, 2](3) } catch * { local-name-from-QName($err:code) }
(:~ atomized map, not caught :) string-join(map { 1: 2 })
(:~ attribute after content, not caught :) <a>{ "x", attribute b { 1 } }</a>
(:~ duplicate attribute, not caught :) element a { attribute b { 1 }, attribute b { 2 } }
(:~ comparing a date with a number, not caught :) xs:date("2024-01-01") lt 1
(:~ path over atomic, not caught :) (1, 2)/a
(:~ mixed path result :) try { <a><b/></a>/(b, 1) } catch * { local-name-from-QName($err:code) }
(:~ overflow :) try { xs:byte(128) } catch * { local-name-from-QName($err:code) }
(:~ bad argument :) try { let $f := function ($x as xs:string) { $x } return $f(1) } catch * { local-name-from-QName($err:code) }
(:~ sum of strings :) try { sum(("a", "b")) } catch * { local-name-from-QName($err:code) }
(:~ duplicate map key, not caught :) map { "a": 1, "a": 2 }
(:~ invalid json :) try { parse-json("{") } catch * { local-name-from-QName($err:code) }
(:~ invalid xml :) try { parse-xml("<a>") } catch * { local-name-from-QName($err:code) }
(:~ codepoints :) try { codepoints-to-string(0) } catch * { local-name-from-QName($err:code) }
(:~ value comparison of a sequence, not caught :) (1, 2) eq 1
(:~ order by incomparable :) try { for $x in (1, "a") order by $x return $x } catch * { local-name-from-QName($err:code) }
(:~ unknown variable :) $nothing + 1
(:~ unknown function :) no-such-function(1)
(:~ unknown prefix :) nope:f(1)
(:~ wrong number of arguments :) upper-case("a", "b")
(:~ unfinished :) for $x in (1, 2) return
(:~ unbalanced constructor :) <a><b></a></b>
(:~ no context item :) ./a
(:~ wrong argument type :) string-length(12)
(:~ duplicate parameter :) declare function local:f($a, $a) { $a }; local:f(1, 2)
(:~ duplicate variable :) declare variable $a := 1; declare variable $a := 2; $a
(:~ unbound prefix in a name :) <p:a/>
(:~ unknown type :) 1 instance of xs:nothing
(:~ cast to an abstract type :) 1 cast as xs:anyAtomicType
(:~ integer division by zero :) 1 idiv 0
(:~ unknown collation :) compare("a", "b", "http://example.com/none")
(:~ not a function :) let $f := 1 return $f(2)
(:~ focus in a function :) declare function local:f() { . }; 5 ! local:f()
