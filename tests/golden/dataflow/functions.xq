(: Functions are looked into; one that calls itself on two parts of a sequence is not. :)
declare function local:value($r) { $r/raw * 2 };
declare function local:halves($s) {
  if (count($s) < 2) then $s
  else (local:halves($s[position() <= count($s) idiv 2]), local:halves($s[position() > count($s) idiv 2]))
};
<out>{
  for $r in /log/reading where local:value($r) > 10 return $r,
  count(local:halves(/log/reading))
}</out>
