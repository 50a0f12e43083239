#!/usr/bin/env bash
# The PUMA 560 without the terms that hardly matter, as in [Clover1996]: what remains, what it costs, how far it is off.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tactus="${TACTUS:-build/release/tactus}"

"$tactus" derive models/puma560.yaml --abbreviate 0.01
"$tactus" derive models/puma560.yaml --abbreviate 0.01 --counts
