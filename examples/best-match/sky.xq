(: The nearest two within half a degree: 359.99 and 0.01 degrees of right ascension are neighbours. :)
for $star in doc("stars.xml")/catalogues/optical/star
for $source in doc("stars.xml")/catalogues/radio/star
let $apart := xylem:sky-separation($star/@ra, $star/@dec, $source/@ra, $source/@dec)
where $star left outer 2 bestmatch join $source on ($apart) min 0.5
order by $star/@name, $apart
return <match>{ $star/@name, attribute source { $source/@name }, attribute degrees { round($apart, 4) } }</match>
