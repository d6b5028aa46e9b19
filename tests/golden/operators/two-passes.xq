for $p in /s/p
where $p/x > avg(/s/p/x)
return $p
