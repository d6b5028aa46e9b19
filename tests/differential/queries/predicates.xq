(: document: books :)
(:~ position :) /bib/book[2]/title/string()
(:~ last :) /bib/book[last()]/title/string()
(:~ range of positions :) /bib/book[position() = (1, 3)]/@id/string()
(:~ integer range :) /bib/book[position() = 2 to 4]/@id/string()
(:~ comparison with a number :) /bib/book[price > 60]/@id/string()
(:~ missing value is not less :) /bib/book[price < 1000]/@id/string()
(:~ not of a comparison :) /bib/book[not(price < 1000)]/@id/string()
(:~ existence :) /bib/book[editor]/@id/string()
(:~ attribute :) /bib/book[@lang]/@id/string()
(:~ and or :) /bib/book[author/last = "Berg" or @year = "1994"]/@id/string()
(:~ two predicates :) /bib/book[price][2]/@id/string()
(:~ two predicates reversed :) /bib/book[2][price]/@id/string()
(:~ general comparison over many :) /bib/book[author/last = ("Suzuki", "Stevens")]/@id/string()
(:~ general not equal over many :) /bib/book[author/last != "Berg"]/@id/string()
(:~ value comparison :) /bib/book[@year eq "2000"]/@id/string()
(:~ nested predicate :) /bib/book[author[first = "Pia"]/last = "Berg"]/@id/string()
(:~ predicate on a sequence :) (10 to 20)[. mod 3 = 0]
(:~ predicate that is a number :) ("a", "b", "c")[2]
(:~ predicate out of range :) ("a", "b", "c")[4]
(:~ predicate with a fraction :) ("a", "b", "c")[1.5]
(:~ predicate with last arithmetic :) ("a", "b", "c", "d")[last() - 1]
(:~ predicate with a string :) ("a", "", "c")[.]
(:~ contains :) /bib/book[contains(title, "Rivers")]/@id/string()
(:~ count in a predicate :) /bib/book[count(author) > 1]/title/string()
(:~ some satisfies in a predicate :) /bib/book[some $a in author satisfies starts-with($a/last, "S")]/@id/string()
(:~ every :) every $b in /bib/book satisfies $b/@year > 1990
(:~ some of two :) some $a in /bib/book, $b in /bib/book satisfies $a/price = $b/price and $a is $b/preceding-sibling::book[1]
