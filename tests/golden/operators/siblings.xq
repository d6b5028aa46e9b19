for $b in /bib/book return count($b/preceding-sibling::book)
