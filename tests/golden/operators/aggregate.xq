<n>{ count(//book), sum(//book/price) }</n>
