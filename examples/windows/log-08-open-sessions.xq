(: items: $log from weblog.xml :)
(: As the log comes in: how many users are logged in after each login or logout. :)
declare variable $log as element(entry)** external;
forseq $w in $log landmark window
  start position $s when $s eq 1
  force end curItem $e when $e/op = ("login", "logout")
return <users t="{ $e/@t }">{ count($w[op = "login"]) - count($w[op = "logout"]) }</users>
