(: Items by region and country as JSON. :)
declare option output:method "json";
declare option output:indent "yes";

map:merge(
  for $region in /site/regions/*
  return
    map:entry(
      name($region),
      map:merge(
        for $item in $region/item
        group by $country := string($item/location)
        return map:entry($country, count($item))
      )
    )
)
