(: Extending XQuery with Window Functions, section 4.
   Corrected: a declaration ends with `;`.
   Over elements without a schema it is XPTY0004: `ge` takes untyped content for a string, and 10 is none. Over numbers
   it runs as it stands; over elements, write `$m >= 10` or xs:integer($m). :)
declare variable $s as (temp)** external;
for $m in $s where $m ge 10
return <alarm> { $m } </alarm>
