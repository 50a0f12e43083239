#!/usr/bin/env bash
# The equations as source code without dependencies: one C++17 header, one C99 header, a LaTeX document.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tactus="${TACTUS:-build/release/tactus}"
out="${OUT:-out}"

"$tactus" generate models/puma560.yaml --what inverse-dynamics,forward-dynamics,jacobian:tool --lang cpp --out "$out/generated"
"$tactus" generate models/puma560.yaml --what inverse-dynamics --lang c --out "$out/generated"
"$tactus" generate models/double_pendulum.yaml --what mass-matrix,bias --lang latex --out "$out/generated"
