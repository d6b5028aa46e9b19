for $t in /s/t
group by $k := $t/@k
for tumbling window $w in $t start at $i when true() end at $j when $j - $i eq 9
return count($w)
