#!/bin/sh
# Two sites as processes of their own. Photons are published at SP3; what the filter of Vela leaves of them is carried to SP2,
# and RXJ and its alert are answered there, from Vela's stream. Needs: pip install 'xylem-xquery[network]'
set -eu
here=$(cd "$(dirname "$0")" && pwd)
photons=${1:-$here/../photons/photons.xml}
work=$(mktemp -d)
trap 'xylem network stop --site "$work/sp2" || true; xylem network stop --site "$work/sp3" || true; rm -rf "$work"' EXIT

xylem network start --background --site "$work/sp3"
xylem network start --background --site "$work/sp2"

# An empty document makes the streams, so that subscriptions begin with the first photon.
echo '<photons></photons>' | xylem publish photons --input - --site "$work/sp3"
echo '<photons></photons>' | xylem publish vela --input - --site "$work/sp2"
xylem subscribe "$here/vela-filter.xq" --name vela-filter --source photons --site "$work/sp3"
xylem subscribe "$here/../photons/vela.xq" --name vela --source vela --site "$work/sp2"
xylem subscribe "$here/../photons/rxj.xq" --name rxj --source vela --site "$work/sp2"
xylem subscribe "$here/rxj-alert.xq" --name rxj-alert --source vela --site "$work/sp2"
xylem network relay --from "$work/sp3" --subscription vela-filter --to "$work/sp2" --stream vela &
relay=$!

xylem publish photons --input "$photons" --site "$work/sp3"
xylem unsubscribe vela-filter --site "$work/sp3"
wait $relay
for name in vela rxj rxj-alert; do xylem unsubscribe $name --site "$work/sp2"; done

echo
echo "over SP3 - SP2 went the bytes of vela-filter, to the subscribers those of the results:"
xylem subscriptions --site "$work/sp3"
xylem subscriptions --site "$work/sp2"
