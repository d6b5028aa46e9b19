(: Extending XQuery with Window Functions, section 4.
   Corrected: a declaration ends with `;`. :)
declare variable $s as (temp)** external;
for $m in $s where $m ge 10
return <alarm> { $m } </alarm>
