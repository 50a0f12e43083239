#!/usr/bin/env bash
# Devices that are not there yet: their numbers from files, what they can show by them, and how a shopping cart feels through them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tactus="${TACTUS:-build/release/tactus}"
out="${OUT:-out}"
mkdir -p "$out"

"$tactus" devices examples/22_table_top.yaml --mass 20
"$tactus" devices examples/22_table_top.yaml --latency 0 --rate 4000   # what a faster bus would be worth
"$tactus" haptic models/shopping_cart.yaml --device examples/22_table_top.yaml --size 0.05 \
  --plot "$out/cart_by_table_top.svg"

# A mechanism as the device: by which motors, encoders and sensor, its file says.
"$tactus" devices examples/22_five_bar.yaml
"$tactus" haptic models/shopping_cart.yaml --device examples/22_five_bar.yaml --size 0.02 \
  --plot "$out/cart_by_five_bar.svg"
