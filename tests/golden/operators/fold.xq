fold-left(/s/t/v, 0, function($sum, $v) { $sum * 2 + $v })
