(: data: weblog.xml :)
(: How many pages a user looks at before buying. :)
for $u in distinct-values(/log/entry/user)
for tumbling window $w in /log/entry[user eq $u]
  start $s when $s/op eq "login"
  only end $e when $e/op eq "buy"
return <bought user="{ $u }">{ count($w[op = ("view", "search")]) }</bought>
