#!/usr/bin/env bash
# Everything at one instant, as JSON: M, h, forces, accelerations, energies, momenta, frames, the linear model.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tactus="${TACTUS:-build/release/tactus}"

"$tactus" eval models/puma560.yaml --at examples/03_slew.yaml --abbreviate 0.01
