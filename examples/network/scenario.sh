#!/bin/sh
# The network of the thesis as processes: four super-peers and three thin-peers, each a site of its own on this machine.
# Photons are published at P4. Vela is asked for at P0, RXJ and its alert at P2, Bursts at P0: they come as the photons do,
# each computed where that costs least, from streams that are there already. Needs: pip install 'xylem-xquery[network]'
#
#   sh scenario.sh [--short] [PHOTONS.xml]        --short: without SP0 and SP1, Bursts and the plan
set -eu
here=$(cd "$(dirname "$0")" && pwd)
short=
if [ "${1:-}" = --short ]; then short=yes; shift; fi
photons=${1:-$here/../photons/photons.xml}
work=$(mktemp -d)
peers='P0 P2 P4 SP0 SP1 SP2 SP3'
links='P4:SP3 SP3:SP2 SP2:SP0 SP0:P0 SP2:SP1 SP1:P2'
if [ -n "$short" ]; then
  peers='P0 P2 P4 SP2 SP3'
  links='P4:SP3 SP3:SP2 SP2:P0 SP2:P2'
fi
trap 'for peer in $peers; do xylem network stop --site "$work/$peer" 2> /dev/null & done; wait; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"

for peer in $peers; do
  case $peer in P*) kind=thin ;; *) kind=super ;; esac
  xylem network start --site "$peer" --kind "$kind" --background 2> "$peer.log" || cat "$peer.log" &
done
wait
for link in $links; do
  xylem network join "${link#*:}" --site "${link%:*}" 2> /dev/null &
done
wait

# Half of the photons come before anybody asks: so the planner knows what passes a condition.
half=$(($(wc -l < "$photons") / 2))
{ head -n "$half" "$photons"; echo '</photons>'; } > first.xml
{ echo '<photons>'; tail -n +$((half + 1)) "$photons"; } > second.xml
xylem publish photons --input first.xml --schema "$here/../photons/photons.dtd" --site P4

if [ -z "$short" ]; then
  # Bursts joins the stream with photons that are stored at SP3: here, what was seen one orbit before.
  mkdir -p SP3/documents
  xylem run -i "$photons" -o SP3/documents/photons-before.xml -q '<photons>{ for $p in /photons/photon return
    <photon>{ $p/ra, $p/dec, <en>{ $p/en * 0.8 }</en>, <det_time>{ $p/det_time - 5400 }</det_time> }</photon> }</photons>'
fi

ask() { # NAME PEER QUERY: subscribe at a peer, and let its answer go to a file there
  xylem subscribe "$3" --name "$1" --source photons --from earliest --at "$2" --site SP2
  xylem subscribe "$3" --name "$1" --source photons --from earliest --site "$2" --output "$1.out" 2> /dev/null &
}
ask vela P0 "$here/../photons/vela.xq"
ask rxj P2 "$here/../photons/rxj.xq"
ask rxj-alert P2 "$here/rxj-alert.xq"
names='vela rxj rxj-alert'
if [ -z "$short" ]; then
  ask bursts P0 "$here/../best-match/bursts.xq"
  names="$names bursts"
  echo
  echo 'The plan of rxj, as its peers carry it out:'
  xylem network plan rxj --site P2
fi

xylem publish photons --input second.xml --site P4
for name in $names; do xylem unsubscribe "$name" --site SP2 & done
# The answers end with what had come by then.
wait

echo
for name in $names; do printf '%-10s %8s bytes\n' "$name" "$(wc -c < "$name.out")"; done
echo
xylem network map --site SP2
if [ -z "$short" ]; then
  echo
  echo 'Beside it, other ways to send the same photons for Vela, RXJ and its alert:'
  xylem network plan "$here/thesis.json" --optimize | sed -n '/^bytes over/,/sharing/p'
fi
