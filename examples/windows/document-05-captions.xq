(: data: article.xml :)
(: Each figure or table with the text right before it. :)
for sliding window $w in /article/*
  start $s when $s/self::p
  only end $e when $e/self::figure or $e/self::table
where not($w[position() gt 1][self::p])
return <caption of="{ name($e) }">{ $s/string() }</caption>
