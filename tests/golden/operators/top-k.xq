(for $b in /bib/book order by $b/price descending return $b/title)[position() <= 3]
