(: Extending XQuery with Window Functions, section 4.
   Corrected: a declaration ends with `;`. :)
declare variable $s as (temp)** external;
fn:max($s)
