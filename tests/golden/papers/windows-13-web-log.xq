(: Extending XQuery with Window Functions, section 5.1.
   Corrected: a declaration ends with `;`. :)
declare variable $weblog as (entry)* external;
for $u in fn:distinct-values($weblog/user)
forseq $w in $weblog[user eq $u] tumbling window
  start curItem $in when $in/op eq 'login'
  end curItem $out when $out/op eq 'logout'
return count($w)
