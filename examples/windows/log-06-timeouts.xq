(: data: weblog.xml :)
(: Sessions by silence: a user who does nothing for a minute has gone. :)
for $u in distinct-values(/log/entry/user)
for tumbling window $w in /log/entry[user eq $u]
  start $s when true()
  end $e next $n when $n/@t - $e/@t gt 60
return <visit user="{ $u }" from="{ $s/@t }" to="{ $e/@t }">{ count($w) }</visit>
