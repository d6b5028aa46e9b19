for $b in /bib/book where empty($b/../book[year = $b/year][. >> $b]) return $b/title
