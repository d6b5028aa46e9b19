(: Extending XQuery with Window Functions, figure 1.
   Corrected: no comma between the two `let` clauses. :)
for $first at $i in $rssfeed
let $second := $rssfeed[$i+1]
let $third := $rssfeed[$i+2]
where ($first/author eq $second/author) and
      ($first/author eq $third/author)
return $first/author
