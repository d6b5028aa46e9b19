"""Pairs of queries, and whether the second can be answered from the answer of the first: the verdicts a reader expects.

Each pair is (A, B, whether B follows from A). `NO_SCHEMA` pairs are asked without the DTD.
"""

from __future__ import annotations

DTD = """<!ELEMENT photons (photon*)><!ELEMENT photon (ra, dec, en, phc?, note*, det_time)>
<!ATTLIST photon id CDATA #REQUIRED kind CDATA #IMPLIED>
<!ELEMENT ra (#PCDATA)><!ELEMENT dec (#PCDATA)><!ELEMENT en (#PCDATA)><!ELEMENT phc (#PCDATA)>
<!ELEMENT note (#PCDATA)><!ELEMENT det_time (#PCDATA)>"""

WITH_SCHEMA: list[tuple[str, str, bool]] = [
    (
        "for $p in /photons/photon where $p/ra > 1 return $p",
        "for $p in /photons/photon where $p/ra > 2 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/ra > 1 return $p",
        "for $p in /photons/photon where $p/ra ge 2 return $p",
        False,
    ),
    (
        "for $p in /photons/photon where $p/ra > 1 return $p",
        "for $p in /photons/photon where xs:decimal($p/ra) ge 2 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/ra > 1 return $p",
        "for $p in /photons/photon where xs:decimal($p/ra) ge 1 return $p",
        False,
    ),
    (
        "for $p in /photons/photon where $p/ra >= 1 return $p",
        "for $p in /photons/photon where xs:decimal($p/ra) > 1 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/ra > 1 return $p",
        "for $p in /photons/photon where xs:decimal($p/ra) > 1 return $p",
        False,
    ),
    (
        "for $p in /photons/photon where xs:decimal($p/ra) > 1 return $p",
        "for $p in /photons/photon where $p/ra > 2 return $p",
        False,
    ),
    (
        "for $p in /photons/photon where $p/ra > 1 return $p",
        "for $p in /photons/photon where xs:integer($p/ra) > 2 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/ra > 1 return $p",
        "for $p in /photons/photon where every $x in $p/ra satisfies $x > 2 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/note > 1 return $p",
        "for $p in /photons/photon where some $x in $p/note satisfies $x > 2 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/note > 1 return $p",
        "for $p in /photons/photon where some $x in $p/note satisfies ($x > 2 and $x < 4) return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/note > 1 and $p/note < 4 return $p",
        "for $p in /photons/photon where some $x in $p/note satisfies ($x > 2 and $x < 4) return $p",
        True,
    ),
    (
        "for $p in /photons/photon where some $x in $p/note satisfies ($x > 1 and $x < 5) return $p",
        "for $p in /photons/photon where some $x in $p/note satisfies ($x > 2 and $x < 4) return $p",
        True,
    ),
    (
        "for $p in /photons/photon where some $x in $p/note satisfies ($x > 2 and $x < 4) return $p",
        "for $p in /photons/photon where $p/note > 2 and $p/note < 4 return $p",
        False,
    ),
    (
        "for $p in /photons/photon where some $x in $p/note satisfies ($x > 2 and $x < 4) return $p",
        "for $p in /photons/photon where $p/note[. > 2 and . < 4] return $p",
        True,
    ),
    (
        "for $p in /photons/photon where exists($p/note[. > 2]) return $p",
        "for $p in /photons/photon where $p/note[. > 2] return $p",
        True,
    ),
    (
        "for $p in /photons/photon where exists($p/note[. > 2]) return $p",
        "for $p in /photons/photon where exists($p/note[. > 3]) return $p",
        True,
    ),
    (
        "for $p in /photons/photon where exists($p/note[. > 2]) return $p",
        "for $p in /photons/photon where exists($p/note[. > 1]) return $p",
        False,
    ),
    (
        "for $p in /photons/photon where exists($p/note[. > 2]) return $p",
        "for $p in /photons/photon where count($p/note[. > 3]) > 0 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/note > 2 return $p",
        "for $p in /photons/photon where count($p/note[. > 3]) > 2 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where not(empty($p/note)) return $p",
        "for $p in /photons/photon where count($p/note) > 3 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where not(empty($p/note)) return $p",
        "for $p in /photons/photon where count($p/note) ge 1 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where count($p/note) > 3 return $p",
        "for $p in /photons/photon where not(empty($p/note)) return $p",
        False,
    ),
    (
        "for $p in /photons/photon where empty($p/note) return $p",
        "for $p in /photons/photon where count($p/note) < 1 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where count($p/note) < 5 return $p",
        "for $p in /photons/photon where empty($p/note) return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/ra != 3 return $p",
        "for $p in /photons/photon where $p/ra > 3 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/ra != 3 return $p",
        "for $p in /photons/photon where not($p/ra = 3) return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/phc != 3 return $p",
        "for $p in /photons/photon where not($p/phc = 3) return $p",
        False,
    ),
    (
        "for $p in /photons/photon where not($p/phc = 3) return $p",
        "for $p in /photons/photon where $p/phc != 3 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where not($p/note = 3) return $p",
        "for $p in /photons/photon where $p/note != 3 return $p",
        False,
    ),
    (
        "for $p in /photons/photon where $p/note != 3 return $p",
        "for $p in /photons/photon where not($p/note = 3) return $p",
        False,
    ),
    (
        "for $p in /photons/photon where $p/ra > 3 return $p",
        "for $p in /photons/photon where not($p/ra <= 3) return $p",
        False,
    ),
    (
        "for $p in /photons/photon where not($p/ra <= 3) return $p",
        "for $p in /photons/photon where $p/ra > 3 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/ra > $p/dec return $p",
        "for $p in /photons/photon where $p/dec < $p/ra return $p",
        True,
    ),
    (
        "for $p in /photons/photon where xs:double($p/ra) > xs:double($p/dec) return $p",
        "for $p in /photons/photon where xs:double($p/ra) > xs:double($p/dec) and $p/dec > 3 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where number($p/ra) > number($p/dec) return $p",
        "for $p in /photons/photon where number($p/ra) > number($p/en) and number($p/en) > number($p/dec) return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/ra < 0.1 return $p",
        "for $p in /photons/photon where $p/ra < 0.1e0 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/ra < 0.1e0 return $p",
        "for $p in /photons/photon where $p/ra < 0.1 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where xs:decimal($p/ra) < 0.1 return $p",
        "for $p in /photons/photon where xs:decimal($p/ra) < 0.1e0 return $p",
        False,
    ),
    (
        "for $p in /photons/photon where xs:decimal($p/ra) < 0.1 return $p",
        "for $p in /photons/photon where xs:decimal($p/ra) < 0.05 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/@id = 'x' return $p",
        "for $p in /photons/photon where $p/@id eq 'x' return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/@id eq 'x' return $p",
        "for $p in /photons/photon where $p/@id = 'x' return $p",
        True,
    ),
    (
        "for $p in /photons/photon where starts-with($p/@id, 'x') return $p",
        "for $p in /photons/photon where starts-with($p/@id, 'x') return $p",
        True,
    ),
    (
        "for $p in /photons/photon where starts-with($p/@id, 'x') return $p",
        "for $p in /photons/photon where starts-with($p/@id, 'xy') return $p",
        True,
    ),
    (
        "for $p in /photons/photon where starts-with($p/@id, 'x') return $p",
        "for $p in /photons/photon where $p/@id = 'xyz' return $p",
        True,
    ),
    (
        "for $p in /photons/photon where contains($p/@id, 'x') return $p",
        "for $p in /photons/photon where starts-with($p/@id, 'x') return $p",
        True,
    ),
    (
        "for $p in /photons/photon where contains($p/@id, 'x') return $p",
        "for $p in /photons/photon where contains($p/@id, 'xy') return $p",
        True,
    ),
    (
        "for $p in /photons/photon where contains($p/@id, 'x') return $p",
        "for $p in /photons/photon where ends-with($p/@id, 'yx') return $p",
        True,
    ),
    (
        "for $p in /photons/photon where contains($p/@id, 'xy') return $p",
        "for $p in /photons/photon where contains($p/@id, 'x') return $p",
        False,
    ),
    (
        "for $p in /photons/photon where not(contains($p/@id, 'x')) return $p",
        "for $p in /photons/photon where not(contains($p/@id, 'xy')) return $p",
        False,
    ),
    (
        "for $p in /photons/photon where not(contains($p/@id, 'xy')) return $p",
        "for $p in /photons/photon where not(contains($p/@id, 'x')) return $p",
        True,
    ),
    (
        "for $p in /photons/photon where matches($p/@id, '^x') return $p",
        "for $p in /photons/photon where matches($p/@id, '^x') return $p",
        True,
    ),
    (
        "for $p in /photons/photon where string($p/@id) = 'x' return $p",
        "for $p in /photons/photon where $p/@id = 'x' return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/@id = 'x' return $p",
        "for $p in /photons/photon where string($p/@id) = 'x' return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/@kind = 'x' return $p",
        "for $p in /photons/photon where string($p/@kind) = 'x' return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/@kind = '' return $p",
        "for $p in /photons/photon where string($p/@kind) = '' return $p",
        False,
    ),
    (
        "for $p in /photons/photon where string-length($p/@id) > 3 return $p",
        "for $p in /photons/photon where string-length($p/@id) > 5 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where string-length($p/@id) > 3 return $p",
        "for $p in /photons/photon where string-length($p/@id) > 2 return $p",
        False,
    ),
    (
        "for $p in /photons/photon where $p/ra > 1 return <x>{$p/ra}</x>",
        "for $p in /photons/photon where $p/ra > 2 return <x>{$p/ra}</x>",
        True,
    ),
    (
        "for $p in /photons/photon where $p/ra > 1 return <x>{$p/ra}</x>",
        "for $p in /photons/photon where $p/ra > 2 return <x>{$p/dec}</x>",
        False,
    ),
    (
        "for $p in /photons/photon where $p/ra > 1 return <x>{$p/dec}</x>",
        "for $p in /photons/photon where $p/ra > 2 return <x>{$p/dec}</x>",
        False,
    ),
    (
        "for $p in /photons/photon where $p/ra > 1 return <x>{$p/*}</x>",
        "for $p in /photons/photon where $p/ra > 2 return <x>{$p/dec}</x>",
        True,
    ),
    (
        "for $p in /photons/photon where $p/ra > 1 return <x>{$p/node()}</x>",
        "for $p in /photons/photon where $p/ra > 2 return <x>{$p/dec}</x>",
        True,
    ),
    (
        "for $p in /photons/photon where $p/ra > 1 return <x>{$p//*}</x>",
        "for $p in /photons/photon where $p/ra > 2 return <x>{$p/dec}</x>",
        True,
    ),
    (
        "for $p in /photons/photon where $p/ra > 1 return <x>{$p/@*}</x>",
        "for $p in /photons/photon where $p/ra > 1 return <x>{$p/@id}</x>",
        True,
    ),
    (
        "for $p in /photons/photon where $p/ra > 1 return <x>{$p/ra * 2}</x>",
        "for $p in /photons/photon where $p/ra > 2 return <x>{$p/ra}</x>",
        False,
    ),
    (
        "for $p in /photons/photon where $p/ra > 1 return <x>{$p/ra * 2}</x>",
        "for $p in /photons/photon where $p/ra > 1 return <y>{$p/ra * 2}</y>",
        True,
    ),
    (
        "for $p in /photons/photon where $p/ra > 1 return if ($p/dec > 3) then <hot/> else <cold/>",
        "for $p in /photons/photon where $p/ra > 1 return $p/dec",
        False,
    ),
    ("avg(/photons/photon/en)", "max(/photons/photon/en)", False),
    ("avg(/photons/photon/en)", "avg(/photons/photon/en)", True),
    ("avg(/photons/photon/en)", "<a>{ avg(/photons/photon/en) }</a>", True),
    ("count(/photons/photon[en > 1])", "count(/photons/photon[en > 2])", False),
    ("count(/photons/photon[en > 1])", "count(/photons/photon[en > 1])", True),
    ("count(/photons/photon[en > 1])", "count(for $p in /photons/photon where $p/en > 1 return $p)", True),
    ("/photons/photon[1]", "/photons/photon[1]", True),
    ("/photons/photon[2]", "/photons/photon[1]", False),
    ("/photons/photon[1]", "/photons/photon", False),
    ("/photons/photon[last()]", "/photons/photon", False),
    ("/photons/photon", "/photons/photon[1]", True),
    ("/photons/photon[en > 1]", "/photons/photon[1][en > 1]", False),
    ("/photons/photon[en > 1]", "/photons/photon[en > 1][1]", True),
    ("(/photons/photon)[5]", "/photons/photon", False),
    ("subsequence(/photons/photon, 1, 5)", "/photons/photon", False),
    ("head(/photons/photon)", "/photons/photon", False),
    ("tail(/photons/photon)", "/photons/photon", False),
    ("distinct-values(/photons/photon/en)", "/photons/photon/en", False),
    (
        "for $p in /photons/photon group by $k := $p/phc return <g>{$k, count($p)}</g>",
        "for $p in /photons/photon group by $k := $p/phc return <g>{$k, sum($p/en)}</g>",
        False,
    ),
    ("for $p in /photons/photon group by $k := $p/phc return <g>{$k, count($p)}</g>", "/photons/photon/phc", False),
    (
        "for $p in /photons/photon group by $k := $p/phc return <g>{$k, count($p)}</g>",
        "for $q in /photons/photon group by $k := $q/phc return <g>{$k, count($q)}</g>",
        True,
    ),
    ("for $p in /photons/photon order by $p/en return $p", "/photons/photon", False),
    ("/photons/photon", "for $p in /photons/photon order by $p/en return $p", True),
    ("reverse(/photons/photon)", "/photons/photon", False),
    (
        "for $p in /photons/photon where $p/en > 1 return <a/>",
        "for $p in /photons/photon where $p/en > 1 return <b/>",
        True,
    ),
    ("exists(/photons/photon[en > 1])", "exists(/photons/photon[en > 1])", True),
    ("exists(/photons/photon[en > 1])", "count(/photons/photon[en > 1])", False),
    ("some $p in /photons/photon satisfies $p/en > 1", "count(/photons/photon[en > 1])", False),
    ("/photons/photon[en > 1] ! <x>{ra}</x>", "/photons/photon[en > 1] ! <y>{ra}</y>", True),
    ("/photons/photon[en > 1]/<x>{ra, en}</x>", "/photons/photon[en > 2]/<y>{ra}</y>", True),
    ("for $p in /photons/photon where $p/en > 1 return $p", "/photons/photon[en > 2] ! <y>{ra}</y>", True),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "/photons/photon ! (if (en > 2) then <y>{ra}</y> else ())",
        True,
    ),
    ("for $p in /photons/photon where $p/en > 1 return $p", "/photons/photon ! .[en > 2]", True),
    ("for $p in /photons/photon where $p/en > 1 return $p", "/photons/photon/.[en > 2]", True),
    ("for $p in /photons/photon where $p/en > 1 return $p", "/photons/photon/(if (en > 2) then ra else ())", True),
    ("for $p in /photons/photon where $p/en > 1 return $p", "/photons/photon/self::photon[en > 2]", True),
    ("for $p in /photons/photon where $p/en > 1 return $p", "/photons/photon/en[. > 2]/..", True),
    ("for $p in /photons/photon where $p/en > 1 return $p", "/photons/photon[./en > 2]", True),
    ("for $p in /photons/photon where $p/en > 1 return $p", "/photons/photon[child::en > 2]", True),
    ("for $p in /photons/photon where $p/en/text() > 1 return $p", "/photons/photon[en/text() > 2]", True),
    ("for $p in /photons/photon where $p/en > 1 return $p", "//photon[en > 2]", True),
    ("for $p in /photons/photon where $p/en > 1 return $p", "/*/photon[en > 2]", True),
    ("/descendant::photon[en > 1]", "//photon[en > 2]", True),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "filter(/photons/photon, function($p) { $p/en > 2 })",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for-each(filter(/photons/photon, function($p) { $p/en > 2 }), function($p) { $p/ra })",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "/photons/photon => filter(function($p) { $p/en > 2 })",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in (for $q in /photons/photon where $q/en > 2 return $q) where $p/ra > 1 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in (for $q in /photons/photon where $q/ra > 2 return $q) where $p/en > 1 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "let $hot := for $q in /photons/photon where $q/en > 2 return $q return count($hot)",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "let $hot := /photons/photon[en > 2] return ($hot/ra, count($hot))",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "let $hot := for $q in /photons/photon where $q/en > 2 return $q for $p in $hot where $p/ra > 3"
        " return $p/dec",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon let $e := $p/en return if ($e > 2) then <x>{$e}</x> else ()",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon return (if ($p/en > 2) then <x>{$p/ra}</x> else (), if ($p/en > 3) then"
        " <y/> else ())",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon return if (not($p/en > 2)) then () else $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon return if ($p/en <= 2) then () else $p",
        False,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon return switch (true()) case $p/en > 2 return $p default return ()",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "declare function local:hot($e as xs:double) as xs:boolean { $e > 2 }; for $p in /photons/photon"
        " where local:hot($p/en) return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "declare function local:hot($e as xs:double?) { $e > 2 }; for $p in /photons/photon where"
        " local:hot($p/en) return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "declare function local:hot($p as element(photon)) as xs:boolean { $p/en > 2 }; for $p in"
        " /photons/photon where local:hot($p) return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "declare function local:hot($e) { $e > 2 }; for $p in /photons/photon where local:hot($p/en) return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "declare function local:sel($s) { $s[en > 2] }; local:sel(/photons/photon)",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "declare function local:sel($s as element()*) as element()* { $s[en > 2] }; local:sel(/photons/photon)",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "declare function local:sel($s) { for $x in $s where $x/en > 2 return $x }; for $p in"
        " local:sel(/photons/photon) return $p/ra",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "declare function local:f($p) { if ($p/en > 2) then <x>{$p/ra}</x> else () }; for $p in"
        " /photons/photon return local:f($p)",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "declare variable $t as xs:decimal := 2.0; for $p in /photons/photon where $p/en > $t return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "declare variable $t := 1 + 1; for $p in /photons/photon where $p/en > $t return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "let $t := 2 return for $p in /photons/photon where $p/en > $t return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "let $t := 2 for $p in /photons/photon[en > $t] return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where ($p/en, $p/ra) > 2 return $p",
        False,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 or $p/ra > 1 return $p",
        "for $p in /photons/photon where ($p/en, $p/ra) > 2 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where $p/en > 2 and fn:not(fn:empty($p/phc)) return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where min($p/en) > 2 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where max($p/note) > 2 return $p",
        False,
    ),
    (
        "for $p in /photons/photon where $p/note > 1 return $p",
        "for $p in /photons/photon where max($p/note) > 2 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/note > 1 return $p",
        "for $p in /photons/photon where min($p/note) > 2 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/note > 1 return $p",
        "for $p in /photons/photon where max($p/note) < 5 return $p",
        False,
    ),
    (
        "for $p in /photons/photon where max($p/note) > 1 return $p",
        "for $p in /photons/photon where max($p/note) > 2 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where sum($p/note) > 1 return $p",
        "for $p in /photons/photon where sum($p/note) > 2 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 and $p/en < 5 return $p",
        "for $p in /photons/photon where $p/en = 2 to 4 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 and $p/en < 5 return $p",
        "for $p in /photons/photon where $p/en = (2 to 4) return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where abs($p/en) > 2 return $p",
        False,
    ),
    (
        "for $p in /photons/photon where abs($p/en) > 1 return $p",
        "for $p in /photons/photon where abs($p/en) > 2 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where round($p/en) > 1 return $p",
        "for $p in /photons/photon where round($p/en) > 2 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/ra * $p/ra + $p/dec * $p/dec < 9 return $p",
        "for $p in /photons/photon where $p/ra * $p/ra + $p/dec * $p/dec < 4 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/ra * $p/ra + $p/dec * $p/dec < 4 return $p",
        "for $p in /photons/photon where $p/ra * $p/ra + $p/dec * $p/dec < 9 return $p",
        False,
    ),
    (
        "for $p in /photons/photon where math:sqrt($p/ra * $p/ra + $p/dec * $p/dec) < 9 return $p",
        "for $p in /photons/photon where math:sqrt($p/ra * $p/ra + $p/dec * $p/dec) < 4 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en div 2 < 9 return $p",
        "for $p in /photons/photon where $p/en div 2 < 4 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en * 2 > 2 return $p",
        "for $p in /photons/photon where $p/en * 2 > 4 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where -$p/en < -2 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where boolean($p/en > 2) = true() return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where ($p/en > 2) eq true() return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where $p/en > 2 return $p/ra union $p/dec",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where ($p/en > 2) = false() return $p",
        False,
    ),
    (
        "for $p in /photons/photon where not($p/en > 1) return $p",
        "for $p in /photons/photon where ($p/en > 1) = false() return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where ($p/en cast as xs:double) > 2 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where ($p/en cast as xs:double?) > 2 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where $p/en castable as xs:double and xs:double($p/en) > 2 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en castable as xs:double return $p",
        "for $p in /photons/photon where $p/en castable as xs:double and xs:double($p/en) > 2 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon[en > 2], $q in $p/note return <x>{$q}</x>",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon, $q in $p/note where $p/en > 2 and $q > 3 return <x>{$q}</x>",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 and $p/note > 1 return $p",
        "for $p in /photons/photon, $q in $p/note where $p/en > 2 and $q > 3 return <x>{$q}</x>",
        True,
    ),
    (
        "for $p in /photons/photon where $p/note return $p",
        "for $p in /photons/photon for $q in $p/note return <x>{$q}</x>",
        True,
    ),
    ("for $p in /photons/photon where $p/note return $p", "/photons/photon/note", True),
    ("for $p in /photons/photon where $p/note > 1 return $p", "/photons/photon/note[. > 2]", True),
    ("for $p in /photons/photon where $p/note > 3 return $p", "/photons/photon/note[. > 2]", False),
    ("/photons/photon/note[. > 1]", "/photons/photon/note[. > 2]", True),
    ("/photons/photon/note", "/photons/photon/note[. > 2]", True),
    ("/photons/photon/note[. > 1]", "/photons/photon/note", False),
    ("/photons/photon/note[. > 2]", "/photons/photon[note > 2]/note", False),
    ("/photons/photon/note[1]", "/photons/photon/note", False),
    ("/photons/photon/note[1]", "/photons/photon/note[1]", True),
    ("for $p in /photons/photon return $p/note[. > 2]", "for $p in /photons/photon return $p/note", False),
    (
        "for $p in /photons/photon return <x>{$p/note[. > 2]}</x>",
        "for $p in /photons/photon return <x>{$p/note}</x>",
        False,
    ),
    (
        "for $p in /photons/photon return <x>{for $n in $p/note where $n > 2 return $n}</x>",
        "for $p in /photons/photon return <x>{$p/note}</x>",
        False,
    ),
    (
        "for $p in /photons/photon return <x>{count($p/note)}</x>",
        "for $p in /photons/photon return <x>{$p/note}</x>",
        False,
    ),
    (
        "for $p in /photons/photon return <x>{sum($p/note)}</x>",
        "for $p in /photons/photon return <x>{$p/note}</x>",
        False,
    ),
    (
        "for $p in /photons/photon return <x>{string($p/en)}</x>",
        "for $p in /photons/photon return <x>{$p/en}</x>",
        False,
    ),
    (
        "for $p in /photons/photon return <x e='{$p/en}'/>",
        "for $p in /photons/photon where $p/en > 2 return <x e='{$p/en}'/>",
        True,
    ),
    (
        "for $p in /photons/photon return <x e='{$p/en}'/>",
        "for $p in /photons/photon where $p/en > 2 return <x>{data($p/en)}</x>",
        True,
    ),
    (
        "for $p in /photons/photon return <x e='{$p/phc}'/>",
        "for $p in /photons/photon where empty($p/phc) return <x>{data($p/en)}</x>",
        False,
    ),
    ("declare variable $low external; /photons/photon[ra > $low]", "/photons/photon", False),
    (
        "declare variable $low external; /photons/photon[ra > $low]",
        "declare variable $low external; /photons/photon[ra > $low]",
        False,
    ),
    (
        "for $p in /photons/photon where $p/ra > 3 and $p/det_time > string(current-dateTime()) return $p",
        "for $p in /photons/photon where $p/ra > 4 return $p",
        False,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 count $c where $c < 10 return $p",
        "for $p in /photons/photon where $p/en > 1 return $p",
        False,
    ),
    ("for $p at $i in /photons/photon where $i mod 2 = 0 return $p", "/photons/photon", False),
    (
        "for $p in /photons/photon for $q in /photons/photon where $p/en = $q/ra return <j>{$p/en}</j>",
        "/photons/photon/en",
        False,
    ),
    ("for $p in /photons/photon where $p/en = /photons/photon/ra return $p", "/photons/photon", False),
    ("for $p in /photons/photon where $p/en > avg(/photons/photon/en) return $p", "/photons/photon", False),
    ("for $p in /photons/photon return $p/en + $p/ra", "for $p in /photons/photon return $p/en", False),
    (
        "for $p in /photons/photon return string-join(($p/en, $p/ra), ',')",
        "for $p in /photons/photon return $p/en",
        False,
    ),
    (
        "<all>{ for $p in /photons/photon where $p/en > 1 return $p }</all>",
        "<all>{ for $p in /photons/photon where $p/en > 2 return $p }</all>",
        True,
    ),
    (
        "<all n='{count(/photons/photon)}'>{ for $p in /photons/photon where $p/en > 1 return $p }</all>",
        "<all>{ for $p in /photons/photon where $p/en > 2 return $p }</all>",
        True,
    ),
    (
        "<all n='{count(/photons/photon)}'>{ for $p in /photons/photon where $p/en > 1 return $p }</all>",
        "<all>{ for $p in /photons/photon return $p }</all>",
        False,
    ),
    ("<all>{ /photons/photon[en > 1]/ra }{ /photons/photon[en < 1]/dec }</all>", "/photons/photon[en > 1]/dec", False),
    ("<all>{ /photons/photon[en > 1]/ra }{ /photons/photon[en < 1]/dec }</all>", "/photons/photon[en > 1]/ra", True),
    (
        "for $p in /photons/photon return if ($p/en > 1) then $p/ra else $p/dec",
        "for $p in /photons/photon return $p/ra",
        False,
    ),
    (
        "for $p in /photons/photon return ($p/ra, if ($p/en > 1) then $p/dec else ())",
        "for $p in /photons/photon return $p/dec",
        False,
    ),
    (
        "for $p in /photons/photon return ($p/ra, if ($p/en > 1) then $p/dec else ())",
        "for $p in /photons/photon return $p/ra",
        True,
    ),
    (
        "for $p in /photons/photon return if ($p/en > 1) then $p else ()",
        "for $p in /photons/photon where $p/en > 2 return $p",
        True,
    ),
    (
        "let $n := count(/photons/photon) for $p in /photons/photon where $p/en > 1 return <x n='{$n}'>{$p}</x>",
        "/photons/photon[en > 2]",
        True,
    ),
    ("try { /photons/photon[en > 1] } catch * { () }", "/photons/photon[en > 2]", False),
    ("try { /photons/photon[en > 1] } catch * { () }", "try { /photons/photon[en > 1] } catch * { () }", True),
    (
        "/photons/photon[en > 1]/following-sibling::photon[1]",
        "/photons/photon[en > 1]/following-sibling::photon[1]",
        True,
    ),
    ("/photons/photon[en > 1]/following-sibling::photon[1]", "/photons/photon", False),
    ("current-dateTime()", "current-dateTime()", False),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ avg($w/en) }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ avg($w/en) }</w>",
        True,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ avg(for $x in $w return"
        " xs:decimal($x/en)) }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 120 step 60| return <w>{ avg(for $x in $w return"
        " xs:decimal($x/en)) }</w>",
        True,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ avg($w/xs:decimal(en)) }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 120 step 60| return <w>{ avg($w/xs:decimal(en)) }</w>",
        True,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ avg($w/en ! xs:decimal(.)) }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 120 step 60| return <w>{ avg($w/xs:decimal(en)) }</w>",
        True,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ count($w) }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 120 step 120| return <w>{ count($w) }</w>",
        True,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ count($w) }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 90 step 90| return <w>{ count($w) }</w>",
        False,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ count($w) }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 120 step 30| return <w>{ count($w) }</w>",
        False,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 120 step 120| return <w>{ count($w) }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ count($w) }</w>",
        False,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 0.5 step 0.5| return <w>{ count($w) }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 1.5 step 0.5| return <w>{ count($w) }</w>",
        True,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ sum($w/xs:decimal(en)) }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 120 step 120| return <w>{ avg($w/xs:decimal(en)) }</w>",
        False,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ sum($w/xs:decimal(en)),"
        " count($w) }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 120 step 120| return <w>{ avg($w/xs:decimal(en)) }</w>",
        True,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ min($w/en) }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 120 step 120| return <w>{ min($w/en) }</w>",
        True,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ min($w/en) }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 120 step 120| return <w>{ max($w/en) }</w>",
        False,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ max($w/en) }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 120 step 120| return <w>{ max($w/ra) }</w>",
        False,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| let $a := avg($w/en) where $a > 5"
        " return <w>{ $a }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ avg($w/en) }</w>",
        False,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ avg($w/en) }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| let $a := avg($w/en) where $a > 5"
        " return <w>{ $a }</w>",
        True,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| let $a := avg($w/en) where $a > 5"
        " return <w>{ $a }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| let $a := avg($w/en) where $a > 6"
        " return <w>{ $a }</w>",
        True,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| let $a := avg($w/en) where $a > 6"
        " return <w>{ $a }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| let $a := avg($w/en) where $a > 5"
        " return <w>{ $a }</w>",
        False,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| let $a := count($w) where $a > 5"
        " return <w>{ $a }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 120 step 60| return <w>{ count($w) }</w>",
        False,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return if (count($w) > 5) then <w>{"
        " count($w) }</w> else ()",
        "for $w in /photons/photon[en > 1]|det_time diff 120 step 60| return <w>{ count($w) }</w>",
        False,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| where avg($w/en) >= 1.3 return <w>{"
        " avg($w/en) }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| let $m := avg($w/en) return if ($m >"
        " 1.5) then <w>{ $m }</w> else ()",
        True,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| where avg($w/en) >= 1.3 return <w>{"
        " count($w) }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| where avg($w/en) >= 1.3 return <w>{"
        " avg($w/en) }</w>",
        False,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| where avg($w/en) >= 1.3 return <w>{"
        " count($w) }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| where avg($w/en) >= 1.3 return <v>{"
        " count($w) }</v>",
        True,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ count($w) }</w>",
        "for $w in /photons/photon[en > 2]|det_time diff 60 step 60| return <w>{ count($w) }</w>",
        False,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ count($w[ra > 3]) }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 120 step 60| return <w>{ count($w[ra > 3]) }</w>",
        True,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ count($w[ra > 3]) }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 120 step 60| return <w>{ count($w) }</w>",
        False,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ avg($w/en) + 1 }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ avg($w/en) }</w>",
        False,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ avg($w/en) }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ avg($w/en) * 2 }</w>",
        True,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ avg($w/en) }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ max($w/en) - min($w/en) }</w>",
        False,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ max($w/en), min($w/en) }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ max($w/en) - min($w/en) }</w>",
        True,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| let $a := avg($w/en) return <w>{ $a }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ avg($w/en) }</w>",
        True,
    ),
    (
        "for $w in /photons/photon|count 10 step 10| return <w>{count($w)}</w>",
        "for $w in /photons/photon|count 20 step 10| return <w>{count($w)}</w>",
        True,
    ),
    (
        "for $w in /photons/photon|count 10 step 5| return <w>{sum($w/xs:decimal(en))}</w>",
        "for $w in /photons/photon|count 15 step 5| return <w>{sum($w/xs:decimal(en))}</w>",
        False,
    ),
    (
        "for $w in /photons/photon|count 10 step 10| return <w>{sum($w/xs:decimal(en))}</w>",
        "for $w in /photons/photon[en > 1]|count 10 step 10| return <w>{sum($w/xs:decimal(en))}</w>",
        False,
    ),
    (
        "for tumbling window $w in /photons/photon start at $s when true() only end at $e when $e - $s = 9"
        " return <w>{count($w)}</w>",
        "for tumbling window $w in /photons/photon start at $s when true() only end at $e when $e - $s = 9"
        " return <w>{count($w)}</w>",
        True,
    ),
    (
        "for tumbling window $w in /photons/photon start at $s when true() only end at $e when $e - $s = 9"
        " return <w>{count($w)}</w>",
        "/photons/photon",
        False,
    ),
    (
        "for tumbling window $w in /photons/photon start at $s when true() only end at $e when $e - $s = 9"
        " return <w>{avg($w/en)}</w>",
        "/photons/photon/en",
        False,
    ),
    (
        "/photons/photon",
        "for tumbling window $w in /photons/photon start at $s when true() only end at $e when $e - $s = 9"
        " return <w>{avg($w/en)}</w>",
        True,
    ),
    (
        "/photons/photon[en > 1]",
        "for tumbling window $w in /photons/photon start at $s when true() only end at $e when $e - $s = 9"
        " return <w>{avg($w/en)}</w>",
        False,
    ),
]

SPELLINGS: list[tuple[str, str, bool]] = [
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p as element(photon) in /photons/photon where $p/en > 2 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where $p/en/number() > 2 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where $p/en/data() > 2 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where $p/en/xs:double(.) > 2 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where ($p/en ! number(.)) > 2 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where number($p/en) ge 2 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where number($p/en) > 1e0 + 1 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where if ($p/en > 2) then true() else false() return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where if ($p/ra > 2) then $p/en > 2 else $p/en > 3 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where if ($p/ra > 2) then $p/en > 2 else false() return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where if ($p/ra > 2) then $p/en > 2 else true() return $p",
        False,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where $p/en > 2 and true() return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where $p/en > 2 or false() return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where $p/en > 2 or $p/en > 5 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where ($p/en > 2 and $p/ra > 1) or ($p/en > 3 and $p/dec > 1) return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where not(not($p/en > 2)) return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where not($p/en < 2 or $p/en = 2) return $p",
        False,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where not(number($p/en) <= 2) return $p",
        False,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where $p[en > 2] return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where exists($p[en > 2]) return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where $p/.[en > 2] return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where $p/child::*[name() = 'en'] > 2 return $p",
        False,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon let $e := number($p/en) let $big := $e > 2 where $big return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon let $ok := ($p/en > 2 and $p/ra > 1) where $ok return <x>{$p/ra}</x>",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon let $t := 2 where $p/en > $t return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon[en > 2][ra > 1][position() <= 10] return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "(for $p in /photons/photon where $p/en > 2 return $p)[position() <= 10]",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where $p/en > 2 order by number($p/en) descending return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where $p/en > 2 group by $f := $p/phc return <g f='{$f}'>{ count($p) }</g>",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon group by $f := $p/phc where max($p/en) > 2 return <g/>",
        False,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon group by $f := $p/phc return <g>{ $p[en > 2] }</g>",
        False,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "sum(for $p in /photons/photon where $p/en > 2 return $p/en)",
        True,
    ),
    ("for $p in /photons/photon where $p/en > 1 return $p", "sum(/photons/photon/en[. > 2])", True),
    ("for $p in /photons/photon where $p/en > 1 return $p", "/photons/photon/en[. > 2]", True),
    ("for $p in /photons/photon where $p/en > 1 return $p", "/photons/photon/en[. > 2]/string()", True),
    ("for $p in /photons/photon where $p/en > 1 return $p", "/photons/photon[en > 2]/(ra, dec)", True),
    ("for $p in /photons/photon where $p/en > 1 return $p", "/photons/photon[en > 2]/(ra | dec)", True),
    ("for $p in /photons/photon where $p/en > 1 return $p", "/photons/photon[en > 2]/ra/text()", True),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "<r>{ for $p in /photons/photon where $p/en > 2 return <x ra='{$p/ra}'>{$p/dec/text()}</x> }</r>",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "let $d := /photons for $p in $d/photon where $p/en > 2 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "let $ps := /photons/photon return for $p in $ps where $p/en > 2 return $p",
        True,
    ),
    ("for $p in /photons/photon where $p/en > 1 return $p", "let $ps := /photons/photon return $ps[en > 2]/ra", True),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "declare function local:in($v, $lo, $hi) { $v >= $lo and $v <= $hi }; for $p in /photons/photon"
        " where local:in($p/en, 2, 5) return $p",
        True,
    ),
    ("for $p in /photons/photon where $p/en > 1 return $p", "/photons/photon ! (if (en > 2) then ra else ())", True),
    ("for $p in /photons/photon where $p/en > 1 return $p", "/photons/photon[en > 2] ! string(ra)", True),
    ("for $p in /photons/photon where $p/en > 1 return $p", "/photons/photon[en > 2] ! concat(ra, ',', dec)", True),
    ("for $p in /photons/photon where $p/en > 1 return $p", "string-join(/photons/photon[en > 2]/ra, ' ')", True),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where $p/en > 2 return map { 'ra': $p/ra }",
        True,
    ),
    ("for $p in /photons/photon where $p/en > 1 return $p", "array { /photons/photon[en > 2] }", True),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where $p/en gt 2 return $p",
        False,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where xs:double($p/en) gt 2 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where $p/en eq '2' return $p",
        False,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where $p/en = '2' return $p",
        False,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $p in /photons/photon where $p/en > 2 and $p/en < 1 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 5 return $p",
        "for $p in /photons/photon where $p/en = (6, 7) return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 5 return $p",
        "for $p in /photons/photon where $p/en = (6, 4) return $p",
        False,
    ),
    (
        "for $p in /photons/photon where $p/en != 3 return $p",
        "for $p in /photons/photon where $p/en < 3 or $p/en > 3 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en < 3 or $p/en > 3 return $p",
        "for $p in /photons/photon where $p/en != 3 return $p",
        False,
    ),
    (
        "for $p in /photons/photon where $p/en >= 3 or $p/en < 3 return $p",
        "for $p in /photons/photon where $p/en = 4 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en + $p/ra > 3 return $p",
        "for $p in /photons/photon where $p/en + $p/ra > 4 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/@id > 'b' return $p",
        "for $p in /photons/photon where $p/@id > 'c' return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/@id < 'b' return $p",
        "for $p in /photons/photon where $p/@id > 'c' return $p",
        False,
    ),
    (
        "for $p in /photons/photon where upper-case($p/@id) = 'X' return $p",
        "for $p in /photons/photon where upper-case($p/@id) = 'X' and $p/en > 1 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where normalize-space($p/@id) = ('X','Y') return $p",
        "for $p in /photons/photon where normalize-space($p/@id) = 'X' return $p",
        True,
    ),
    (
        "for $p in /photons/photon where string-length($p/@id) = 3 return $p",
        "for $p in /photons/photon where string-length($p/@id) = 3 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where matches($p/@id, '^x') return $p",
        "for $p in /photons/photon where matches($p/@id, '^xy') return $p",
        False,
    ),
    (
        "for $p in /photons/photon where $p/note = 'a' return $p",
        "for $p in /photons/photon where $p/note = ('a', 'b') return $p",
        False,
    ),
    (
        "for $p in /photons/photon where $p/note = ('a','b') return $p",
        "for $p in /photons/photon where $p/note = 'a' return $p",
        True,
    ),
    (
        "for $p in /photons/photon where not($p/note = 'a') return $p",
        "for $p in /photons/photon where not($p/note = ('a','b')) return $p",
        True,
    ),
    (
        "for $p in /photons/photon where not($p/note = ('a','b')) return $p",
        "for $p in /photons/photon where not($p/note = 'a') return $p",
        False,
    ),
    (
        "for $p in /photons/photon where every $n in $p/note satisfies $n > 1 return $p",
        "for $p in /photons/photon where every $n in $p/note satisfies $n > 2 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where every $n in $p/note satisfies $n > 2 return $p",
        "for $p in /photons/photon where every $n in $p/note satisfies $n > 1 return $p",
        False,
    ),
    (
        "for $p in /photons/photon where every $n in $p/note satisfies $n > 1 return $p",
        "for $p in /photons/photon where not($p/note <= 1) return $p",
        False,
    ),
    (
        "for $p in /photons/photon where not($p/note <= 1) return $p",
        "for $p in /photons/photon where every $n in $p/note satisfies $n > 1 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where every $n in $p/note satisfies $n > 1 return $p",
        "for $p in /photons/photon where empty($p/note) return $p",
        True,
    ),
    (
        "for $p in /photons/photon where count($p/note) >= 2 return $p",
        "for $p in /photons/photon where count($p/note) = 3 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where exists($p/note) return $p",
        "for $p in /photons/photon where exists($p/note[2]) return $p",
        True,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ count($w) }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| where count($w) > 3 return <big>{"
        " count($w) }</big>",
        True,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ count($w) }</w>",
        "for $w in /photons/photon[1 < en]|det_time diff 60| return count($w)",
        True,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ sum($w/xs:decimal(en)) }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ sum($w ! xs:decimal(en)) }</w>",
        True,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 10 step 10| return <w>{ max($w/en) }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 30| return <w>{ max($w/en) }</w>",
        True,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 30 step 10| return <w>{ sum($w/xs:integer(phc)) }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ sum($w/xs:integer(phc)) }</w>",
        True,
    ),
    (
        "for $w in /photons/photon[en > 1]|det_time diff 30 step 20| return <w>{ sum($w/xs:integer(phc)) }</w>",
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ sum($w/xs:integer(phc)) }</w>",
        False,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for $w in /photons/photon[en > 1]|det_time diff 60 step 60| return <w>{ avg($w/en) }</w>",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for sliding window $w in /photons/photon[en > 1] start at $s when true() end at $e when $e - $s ="
        " 4 return avg($w/en)",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 return $p",
        "for tumbling window $w in /photons/photon start $s when $s/en > 1 end $e when $e/en < 1 return"
        " <w>{ count($w) }</w>",
        False,
    ),
]

FLAT: list[tuple[str, str, bool]] = [
    # Notes without their photons: which belong together, and how many photons there were, is not to be seen.
    ("for $p in /photons/photon return $p/note", "for $p in /photons/photon return <x/>", False),
    ("for $p in /photons/photon return $p/note", "count(/photons/photon)", False),
    ("/photons/photon/note", "for $p in /photons/photon return <x>{ $p/note }</x>", False),
    ("/photons/photon/note", "/photons/photon[note > 2]/note", False),
    ("/photons/photon/note[. > 1]", "/photons/photon/note[. > 1][1]", False),
    ("/photons/photon/note", "/photons/photon/note[2]", False),
    ("/photons/photon/note", "(/photons/photon/note)[2]", True),
    ("/photons/photon/note", "count(/photons/photon/note[. > 2])", True),
    ("/photons/photon/note", "for $n in /photons/photon/note where $n > 1 return <n>{ $n }</n>", True),
    ("for $p in /photons/photon, $n in $p/note return <n>{ $n }</n>", "/photons/photon/note[. < 2]", True),
    ("/photons/photon/en", "/photons/photon[en > 2]/en", True),
    ("for $p in /photons/photon return ($p/ra, $p/note)", "for $p in /photons/photon return <x>{ $p/note }</x>", True),
    ("for $p in /photons/photon return ($p/phc, $p/note)", "/photons/photon/<x>{ note }</x>", False),
    ("for $p in /photons/photon return <x>{ $p/phc, $p/note }</x>", "/photons/photon[phc > 1]/note", True),
]

NO_SCHEMA: list[tuple[str, str, bool]] = [
    (
        "for $p in /photons/photon where $p/ra > 1 return $p",
        "for $p in /photons/photon where $p/ra > 2 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 or $p/ra > 1 return $p",
        "for $p in /photons/photon where $p/ra > 2 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/en > 1 or $p/ra > 1 return $p",
        "for $p in /photons/photon where $p/ra > 2 or $p/en > 3 return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/ra > 1 return $p",
        "for $p in /photons/photon where every $x in $p/ra satisfies $x > 2 return $p",
        False,
    ),
    (
        "for $p in /photons/photon where $p/@id = ('x','y') return $p",
        "for $p in /photons/photon where $p/@id = 'x' return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/@id = 'x' or $p/@id = 'y' return $p",
        "for $p in /photons/photon where $p/@id = ('y','x') return $p",
        True,
    ),
    (
        "for $p in /photons/photon where $p/@id return $p",
        "for $p in /photons/photon where $p/@id = 'x' return $p",
        True,
    ),
    ("//photon[en > 1]", "//photon[en > 2]", True),
    ("//photon[en > 1]", "for $p in //photon where $p/en > 2 return $p", True),
    ("//photon[en > 2]", "for $p in //photon where $p/en > 1 return $p", False),
    ("//photon[en > 2]", "for $p in //note where $p > 3 return $p", False),
]
