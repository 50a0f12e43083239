#!/usr/bin/env bash
# A model file is read, checked, and its equations of motion are derived: M(q) udot + h(q, u) = tau.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tactus="${TACTUS:-build/release/tactus}"

"$tactus" models/double_pendulum.yaml                            # a file just opens: tree, freedoms, parameters
"$tactus" derive models/double_pendulum.yaml                     # the equations, to read
"$tactus" derive models/double_pendulum.yaml --keep-parameters   # with masses and lengths as letters
"$tactus" derive models/puma560.yaml --counts                    # what they cost to evaluate
"$tactus" derive models/shopping_cart.yaml --kane --keep-parameters --independent u1,u2   # Kane's method, table by table
