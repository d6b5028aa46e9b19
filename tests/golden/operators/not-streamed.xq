for $a in //a
return $a/preceding::b
