unordered { //order/total }
