(: document: books :)
(:~ direct element :) <a/>
(:~ direct with attributes :) <a x="1" y='two "2"'>t</a>
(:~ enclosed expressions :) <a x="{ 1 + 1 }b{ 3 }">{ 1 to 3 }</a>
(:~ adjacent atomics get a space :) <a>{ 1, 2 }{ 3 }x{ "y", "z" }</a>
(:~ boundary space :) <a> <b> x </b> { 1 } </a>
(:~ entity and character references :) <a b="&lt;&#65;&quot;">&amp;&#x42;&gt;</a>
(:~ doubled braces :) <a b="{{}}">{{1}}</a>
(:~ cdata :) <a><![CDATA[<x>&amp;]]></a>
(:~ comment and pi :) <a><!-- c --><?p d?></a>
(:~ copies of nodes :) <copy>{ /bib/book[1]/@year, /bib/book[1]/title }</copy>
(:~ attribute node first :) <copy>{ /bib/book[1]/@year, "x" }</copy>
(:~ document node content :) <copy>{ document { <a/>, "t" } }</copy>
(:~ array content :) <a>{ [1, (2, 3), [4]] }</a>
(:~ computed element :) element { "a" || "b" } { attribute x { 1, 2 }, text { "t" }, comment { "c" }, processing-instruction p { "d" } }
(:~ computed with QName :) element { QName("http://example.com/", "p:q") } { attribute { QName("http://example.com/", "p:r") } { 1 } }
(:~ computed document :) document { element a { element b { } } }/a/b/name()
(:~ text of nothing :) count((text { () }, <a>{ text { "" } }</a>/text()))
(:~ namespaces in scope :) <p:a xmlns:p="u:1" xmlns="u:2"><b/></p:a>
(:~ namespace constructor :) element a { namespace p { "u:1" }, attribute x { 1 } }
(:~ copied element keeps its namespaces :) <new>{ /bib/*:film }</new>
(:~ undeclared default :) <a xmlns="u:1">{ <b xmlns=""/> }</a>
(:~ attribute value normalised :) <a x="a
b	c"/>/@x/string()
(:~ computed comment :) comment { "a", 1 }
(:~ string constructor :) ``[a `{ 1 + 1 }` b `{ "c", "d" }` ]``
(:~ nested constructors :) <ul>{ for $b in /bib/book[price] return <li id="{ $b/@id }">{ $b/title/node() }</li> }</ul>
(:~ identity of constructed :) let $a := <a/> return ($a is $a, <a/> is <a/>)
(:~ parent of constructed :) <a><b/></a>/b/../name()
(:~ typed value of constructed :) (<a>1</a> + 1, data(<a>x</a>) instance of xs:untypedAtomic)
(:~ base uri of constructed :) <a xml:base="http://example.com/x"><b/></a>/b/base-uri()
(:~ attribute after copy :) (let $e := <e a="1">{ <f b="2"/> }</e> return $e/f/@b/../../@a/string())
(:~ whitespace only text kept :) <a>{ " " }</a>
(:~ empty attribute :) <a x="{ () }"/>
(:~ boundary space preserve :) declare boundary-space preserve; <a> <b/> </a>
(:~ no inherit :) declare copy-namespaces no-preserve, no-inherit; <x>{ <p:a xmlns:p="u:1" xmlns:q="u:2"/> }</x>
