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

say '4. A stream of photons from a satellite. What of it will be kept, if we know its schema?'
show xylem explain -q '<seen>{ for $p in /photons/photon where $p/ra > 130 return $p/en }</seen>' --schema photons/photons.dtd

say '5. It is answered while it is read, from a pipe as well; no more than a part of one photon is ever held (--stats tells).'
printf '\n  $ cat photons/photons.xml | xylem run -q … -i - --stats | tail -c 60\n\n'
cat photons/photons.xml \
  | xylem run -q '<seen>{ for $p in /photons/photon where $p/ra > 130 return $p/en }</seen>' -i - --stats 2>&1 \
  | tail -c 420 | sed 's/^/    /'

say '6. Results need not be XML:'
show xylem run -q 'map { "departures": count(//departure), "lines": array { sort(distinct-values(//@line), (), xs:integer#1) } }' \
  -i departures.xml --output-param method=json

say '7. A mistake is shown where it is, with a way out:'
printf '\n  $ xylem run -q %s -i departures.xml\n\n' "'for \$departure in //departure return \$departur/to'"
xylem run -q 'for $departure in //departure return $departur/to' -i departures.xml 2>&1 | sed 's/^/    /' || true

say 'Next: README.md for the Python interface, xylem run --help, docs/streaming.md.'
