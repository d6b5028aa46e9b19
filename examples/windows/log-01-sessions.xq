(: data: weblog.xml :)
(: The length of each session, by user (windows paper, 5.1). :)
for $u in distinct-values(/log/entry/user)
forseq $w in /log/entry[user eq $u] tumbling window
  start curItem $in when $in/op eq "login"
  end curItem $out when $out/op eq "logout"
return <session user="{ $u }" seconds="{ $w[last()]/@t - $in/@t }">{ count($w) }</session>
