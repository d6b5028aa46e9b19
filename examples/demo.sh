#!/bin/sh
# A tour of what works today; `make demo` runs it.
set -eu
cd "$(dirname "$0")"

say() { printf '\n%s\n' "$1"; }
show() {
  printf '\n  $'
  printf " %s" "$@"
  printf '\n\n'
  "$@" | sed 's/^/    /'
}

say '1. A feed of departures, and a query that asks which lines leave late. It joins the feed with a second
   document, groups, sorts and builds a small report (examples/delays.xq):'
sed 's/^/    /' delays.xq

say '2. Its answer:'
show xylem run delays.xq -i departures.xml --var-file lines=lines.xml --output-param indent=yes

say '3. How it is executed, in its own lines:'
show xylem explain delays.xq

say '4. Results need not be XML:'
show xylem run -q 'map { "departures": count(//departure), "lines": array { sort(distinct-values(//@line), (), xs:integer#1) } }' \
  -i departures.xml --output-param method=json

say '5. A mistake is shown where it is, with a way out:'
printf '\n  $ xylem run -q %s -i departures.xml\n\n' "'for \$departure in //departure return \$departur/to'"
xylem run -q 'for $departure in //departure return $departur/to' -i departures.xml 2>&1 | sed 's/^/    /' || true

say 'Next: README.md for the Python interface, xylem run --help, docs/architecture.md.'
