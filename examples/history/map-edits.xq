(: Cafés that moved or were renamed with the last change, and what they were called before. :)
for $n in /osm/node[tag[@k = "amenity"]/@v = "cafe"]
let $before := $n#1
where exists($before)
return <edit id="{ $n/@id }" from="{ $before/tag[@k = 'name']/@v }" to="{ $n/tag[@k = 'name']/@v }"/>
