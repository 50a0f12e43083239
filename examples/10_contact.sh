#!/usr/bin/env bash
# A disk dropped on a ramp bounces, slides, rolls: the motion, every event, and a plot with marks at the events.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tactus="${TACTUS:-build/release/tactus}"
out="${OUT:-out}"
mkdir -p "$out"

"$tactus" simulate models/ramp_drop.yaml --duration 1.5 \
  --out "$out/ramp.csv" --events "$out/ramp_events.csv" --plot "$out/ramp.svg"
head -n 4 "$out/ramp_events.csv"

# A door falls shut against its stop and is locked by a spring bolt; then the handle draws the bolt back.
"$tactus" simulate models/latch.yaml --script examples/10_open.yaml --duration 6 \
  --out "$out/latch.csv" --events "$out/latch_events.csv" --plot "$out/latch.svg"
cut -d, -f1-3 "$out/latch_events.csv"
