(: data: article.xml :)
(: What stands flat becomes sections: from each heading to the next. :)
for tumbling window $w in /article/*
  start $h when $h/self::h1
return <section title="{ $h }">{ tail($w)/name() }</section>
