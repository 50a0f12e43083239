#!/usr/bin/env bash
# What a model can say by formulas: laws of forces, definitions, tables; a script with samples from a file; a rattleback.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tactus="${TACTUS:-build/release/tactus}"
out="${OUT:-out}"
mkdir -p "$out"

"$tactus" check models/muscle_arm.yaml
"$tactus" simulate models/muscle_arm.yaml --duration 2 --sample 0.01 --integrator adaptive \
  --out "$out/muscle_arm.csv" --plot "$out/muscle_arm.svg" --script examples/19_push.yaml
"$tactus" simulate models/rattleback.yaml --duration 4 --columns q,definitions,energy --sample 0.01 \
  --out "$out/rattleback.csv" --plot "$out/rattleback.svg"
awk -F, 'NR == 1 {for (i = 1; i <= NF; ++i) if ($i == "spin") s = i}
  NR > 1 {if ($s < low) low = $s; if ($s > high) high = $s}
  END {printf "the rattleback spun from %.3g rad/s to %.3g rad/s: it turned back\n", low, high; exit !(low < -4 && high > 0.5)}' "$out/rattleback.csv"
