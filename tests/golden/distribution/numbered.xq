for $o at $i in //order where $o/city count $n return <o i="{ $i }" n="{ $n }">{ $o/@id }</o>
