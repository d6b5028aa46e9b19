(: data: article.xml :)
(: Neighbouring list items become one list. :)
for tumbling window $w in /article/*
  start $s when $s/self::li
  end next $n when not($n/self::li)
return <ul>{ $w }</ul>
