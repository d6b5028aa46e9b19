count(//node())
