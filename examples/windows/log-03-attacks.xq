(: data: weblog.xml :)
(: Three errors of one user within ten seconds. :)
for $u in distinct-values(/log/entry/user)
for sliding window $w in /log/entry[user eq $u][op eq "error"]
  start $s at $i when true()
  only end $e at $j when $j - $i eq 2
where $e/@t - $s/@t le 10
return <attack user="{ $u }" from="{ $s/@t }" to="{ $e/@t }"/>
