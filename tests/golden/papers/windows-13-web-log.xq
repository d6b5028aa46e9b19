(: Extending XQuery with Window Functions, section 5.1.
   Corrected: a declaration ends with `;`.
   With one asterisk a name in parentheses is an atomic type in XQuery, and there is none called `entry` (XPST0051);
   element(entry)* is meant. With two, as section 4 has it, the name is that of an element. :)
declare variable $weblog as (entry)* external;
for $u in fn:distinct-values($weblog/user)
forseq $w in $weblog[user eq $u] tumbling window
  start curItem $in when $in/op eq 'login'
  end curItem $out when $out/op eq 'logout'
return count($w)
