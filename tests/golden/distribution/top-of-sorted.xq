(for $o in //order order by $o/@day return $o/@id/string())[position() le 3]
