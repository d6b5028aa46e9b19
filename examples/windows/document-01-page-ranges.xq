(: data: article.xml :)
(: 1, 2, 3, 4, 7 becomes 1-4, 7 (windows paper, 2.2). :)
string-join(
  for tumbling window $w in /article/page
    start $s when true()
    end $e next $n when $n - $e ne 1
  return if (count($w) eq 1) then $s/string() else concat($s, "-", $e),
  ", ")
