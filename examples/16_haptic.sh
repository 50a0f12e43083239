#!/usr/bin/env bash
# What a hand feels: devices, a shopping cart pushed to and fro, a wall that is tapped, a hand that lets go.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tactus="${TACTUS:-build/release/tactus}"
out="${OUT:-out}"
mkdir -p "$out"

"$tactus" devices
"$tactus" haptic models/shopping_cart.yaml --out "$out/cart_felt.csv" --plot "$out/cart_felt.svg"
head -n 3 "$out/cart_felt.csv"

"$tactus" haptic models/stiff_wall.yaml --hand tap --plot "$out/wall_felt.svg"
"$tactus" haptic models/four_bar.yaml --hand let-go --coupling soft
