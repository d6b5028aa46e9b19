(: data: weblog.xml :)
(: The ways through the shop that ended in the cart. :)
for $u in distinct-values(/log/entry/user)
for tumbling window $w in /log/entry[user eq $u]
  start $s when $s/op eq "login"
  end $e when $e/op eq "logout"
where $w/op = "buy"
return <way user="{ $u }">{ string-join($w/url, " > ") }</way>
