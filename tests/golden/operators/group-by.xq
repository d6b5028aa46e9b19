for $b in /bib/book
group by $y := $b/year
order by $y
return <y n="{ $y }">{ count($b) }</y>
