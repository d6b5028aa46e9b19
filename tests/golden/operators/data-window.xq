for $w in /s/t|count 20| return <w>{ avg($w/v) }</w>
