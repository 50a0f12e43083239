#!/usr/bin/env bash
# A log as others read it: check.sh TACTUS SOURCE_DIR BUILD_DIR. Ends with 77 where there is no node, or its packages cannot be had.
set -euo pipefail
tactus=$1 source=$2 folder=$3/tests/mcap
command -v node >/dev/null && command -v npm >/dev/null || { echo "node or npm is not there"; exit 77; }
mkdir -p "$folder"
cp "$source/tests/mcap/package.json" "$source/tests/mcap/check.mjs" "$folder"
cd "$folder"
if [[ ! -d node_modules/@mcap/core ]]; then
  npm install --no-audit --no-fund --no-package-lock --loglevel=error || { echo "the packages cannot be had"; exit 77; }
fi
for device in planar admittance; do
  kind=impedance
  [[ $device == admittance ]] && kind=admittance
  "$tactus" haptic "$source/models/shopping_cart.yaml" --device "simulated:$device" --duration 2.5 \
    --log "$device.mcap" --out "$device.csv" >/dev/null
  node check.mjs "$kind" "$device.mcap" "$device.csv"
done
# The simulation in a thread: the ticks say when it answered. A machine that is busy may end the run, and its log is whole all the same.
"$tactus" haptic "$source/models/shopping_cart.yaml" --simulation-rate 200 --realtime --late 1e5 --watchdog 0 \
  --duration 1.5 --log threaded.mcap --out threaded.csv >/dev/null || true
node check.mjs impedance threaded.mcap threaded.csv
