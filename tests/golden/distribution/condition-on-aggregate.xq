//order[total > avg(//order/total)]/@id/string()
