/shop/region/order[2]/total
