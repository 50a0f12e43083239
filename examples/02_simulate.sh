#!/usr/bin/env bash
# A script says where the motion begins and what acts on it; out come a CSV file and a picture.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tactus="${TACTUS:-build/release/tactus}"
out="${OUT:-out}"
mkdir -p "$out"

"$tactus" simulate models/double_pendulum.yaml --script examples/02_swing.yaml --duration 10 --step 1e-3 \
  --sample 0.01 --frames tip --out "$out/double_pendulum.csv" --plot "$out/double_pendulum.svg"
