#!/usr/bin/env bash
# Linear models: the benchmark bicycle's eigenvalues over its speed, the circle of a leaning coin, and the bicycle's matrices as formulas
# in its speed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tactus="${TACTUS:-build/release/tactus}"

"$tactus" linear models/single_track.yaml --sweep v=0:10:1
"$tactus" linear models/rolling_coin.yaml --steady --hold lean,spin_dot,lean_dot
"$tactus" derive models/single_track.yaml --linear --keep v --at frame.vx=v,rear_dot=v/r_R,front_dot=v/r_F
