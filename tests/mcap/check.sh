#!/usr/bin/env bash
# A log as others read it: check.sh TACTUS SOURCE_DIR BUILD_DIR. Ends with 77 where there is no node, or its packages cannot be had.
set -euo pipefail
tactus=$1 source=$2 folder=$3/tests/mcap
command -v node >/dev/null && command -v npm >/dev/null || { echo "node or npm is not there"; exit 77; }
mkdir -p "$folder"
cp "$source/tests/mcap/package.json" "$source/tests/mcap/check.mjs" "$folder"
cd "$folder"
if [[ ! -d node_modules/@mcap/core ]]; then
  npm install --no-audit --no-fund --no-package-lock --loglevel=error || { echo "the packages cannot be had"; exit 77; }
fi
"$tactus" haptic "$source/models/shopping_cart.yaml" --duration 2.5 --log run.mcap --out run.csv >/dev/null
node check.mjs run.mcap run.csv
