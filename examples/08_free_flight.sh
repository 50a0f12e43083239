#!/usr/bin/env bash
# A body thrown into space tumbles about its middle axis; its momentum stays what it was to the last digits.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tactus="${TACTUS:-build/release/tactus}"
out="${OUT:-out}"
mkdir -p "$out"

"$tactus" simulate models/rigid_body.yaml --script examples/08_throw.yaml --duration 60 --step 0.01 \
  --out "$out/free_flight.csv" --plot "$out/free_flight.svg"
