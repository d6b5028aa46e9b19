#!/bin/sh
# A tour of Xylem; `make demo` runs it.
set -eu
cd "$(dirname "$0")"

say() { printf '\n%s\n' "$1"; }
# The command as it can be typed: words with a special character are in quotes.
typed() {
  for word in "$@"; do
    case $word in
      *[!A-Za-z0-9_./=:@%,+-]*) printf " '%s'" "$word" ;;
      *) printf ' %s' "$word" ;;
    esac
  done
}
show() {
  printf '\n  $%s\n\n' "$(typed "$@")"
  "$@" 2>&1 | sed 's/^/    /'
}
# Of an explanation, what the query buffers.
buffers() {
  printf '\n  $%s\n\n' "$(typed xylem explain "$@")"
  xylem explain "$@" | sed -n '/^buffers/,/^$/p' | sed '/^$/d; s/^/    /'
}

say '1. A feed of departures. What is in it? Then a query that asks which lines leave late (examples/delays.xq): it joins
   the feed with a second document, groups, sorts and builds a small report.'
show xylem run -q 'for $e in //* group by $n := name($e) order by count($e) descending return map { "element": $n, "times": count($e) }' -i departures.xml --format table
show xylem run delays.xq -i departures.xml --var-file lines=lines.xml --output-param indent=yes

say '2. A stream of photons from a satellite. What must a query buffer? Of one photon its energy, which might come before the
   place that decides. A schema says that it never does:'
seen='<seen>{ for $p in /photons/photon where $p/ra > 130 return $p/en }</seen>'
buffers -q "$seen"
buffers -q "$seen" --schema photons/photons.dtd

say '3. A mistake, its place, and a way out:'
printf '\n  $ xylem run -q %s -i departures.xml\n\n' "'for \$departure in //departure return \$departur/to'"
xylem run -q 'for $departure in //departure return $departur/to' -i departures.xml 2>&1 | sed 's/^/    /' || true

say '4. A ticker whose quotes are updated. Which rose by 10 % since their last quotation? (examples/history)'
show xylem run history/rises.xq -i tickers=history/tickers.xml --updates native

say '5. The satellite reports 40 photons a second. Three continuous queries share its stream: the photons of the Vela
   supernova remnant, the high energies of the smaller RXJ0852, and an alert for minutes in which those are high.'

work=$(mktemp -d)
publisher=
trap 'if [ -n "$publisher" ]; then kill "$publisher" 2>/dev/null || true; fi; rm -rf "$work"' EXIT

cat > "$work/ask.py" <<'END'
from xylem.errors import XylemError
from xylem.spark.session import require_spark

try:
    require_spark()
except XylemError as reason:
    raise SystemExit(str(reason))
END

if reason=$(python "$work/ask.py" 2>&1); then
  python photons/publish.py photons/photons.xml --rate 40 --port-file "$work/port" --after "$work/ready" &
  publisher=$!
  while [ ! -s "$work/port" ]; do sleep 0.1; done
  input="tcp://127.0.0.1:$(cat "$work/port")"
  printf '\n  $ xylem stream vela.xq rxj.xq alert.xq --input %s --output console --checkpoint …\n\n' "$input"
  printf '    (Spark takes some seconds to start. The satellite waits for it, which no real one does.)\n\n'
  {
    xylem stream photons/vela.xq photons/rxj.xq photons/alert.xq --input "$input" --output console \
      --checkpoint "$work/checkpoint" 2>&1 || echo "failed: $?"
  } | tee "$work/results" | {
    vela=0 rxj=0
    while IFS= read -r line; do
      case $line in
        ready*) : > "$work/ready"; printf '    (ready)\n' ;;
        # Of the photons, the first few of each batch; of the alerts, all.
        'vela: <'*) vela=$((vela + 1)); [ "$vela" -gt 3 ] || printf '    %.140s\n' "$line" ;;
        'rxj: <'*) rxj=$((rxj + 1)); [ "$rxj" -gt 3 ] || printf '    %.140s\n' "$line" ;;
        batch*)
          [ "$vela" -eq 0 ] || printf '    (this batch: %s photons of vela, %s of rxj)\n' "$vela" "$rxj"
          vela=0 rxj=0 ;;
        *) printf '    %.140s\n' "$line" ;;
      esac
    done
  }
  publisher=
  say '   Results in all:'
  for query in vela rxj alert; do
    printf '    %-6s %s\n' "$query" "$(grep -c "^$query: <" "$work/results" || true)"
  done
else
  printf '\n    Spark cannot run here: %s\n' "$reason"
  printf '    The same queries in one process, over the same stream:\n'
  for query in vela rxj alert; do
    printf '\n  $ cat photons.xml | xylem run %s.xq -i - --stream\n\n' "$query"
    xylem run "photons/$query.xq" -i - --stream < photons/photons.xml | cut -c 1-300 | sed 's/^/    /'
  done
fi

say '6. Subscriptions in a network: what each reuses of the others, and what every link carries (docs/network.md).'
show xylem network plan network/thesis.json --optimize

if python -c 'import sse_starlette, uvicorn' 2> /dev/null; then
  say '7. A part of that network as five processes on this machine; answers pass from neighbour to neighbour as the photons arrive.'
  show sh network/scenario.sh --short
fi

say 'Next: README.md for the Python interface, xylem stream --help, docs/streaming.md, docs/spark.md.'
