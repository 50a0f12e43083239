#!/usr/bin/env bash
# Follows docs/extending.md: applies its code to copies of the files that it names, compiles those, links the program and the law
# suite of constraints with them in front of the library, and runs the page's own mechanism.
#   extending.sh APPLY_PAGE SOURCE_DIR BUILD_DIR CXX FLAGS
set -euo pipefail
apply="$1" source="$2" build="$3" cxx="$4" flags="${5:-}"
work="$build/extending"
rm -rf "$work"
mkdir -p "$work/tree" "$work/objects"
"$apply" "$source/docs/extending.md" "$source" "$work/tree" >"$work/files"

# Little optimisation: the compiler's time is what counts here.
launcher="$(command -v ccache || true)"
compile() {
  # shellcheck disable=SC2086
  $launcher "$cxx" -std=c++20 -O0 -ffp-contract=off $flags -I"$work/tree" -I"$source" -I"$source/tests/derive" -I"$source/tests" \
    $(pkg-config --cflags eigen3) -c "$work/tree/$1" -o "$work/objects/${1//\//_}.o"
}
export -f compile
export launcher cxx flags work source
grep '\.cpp$' "$work/files" | xargs -P "$(nproc)" -I{} bash -euc 'compile {}'
"$cxx" -std=c++20 -O0 -I"$source/tests" -DTACTUS_SOURCE_DIR="\"$source\"" -DTACTUS_PROGRAM="\"$work/tactus\"" \
  -c "$source/tests/support/paths.cpp" -o "$work/objects/paths.o"

# shellcheck disable=SC2046,SC2086
libraries="-L$build -ltactus_studies -ltactus -lasmjit -lfcl $(pkg-config --libs fmt yaml-cpp tinyxml2) -pthread"
# shellcheck disable=SC2086
"$cxx" $flags "$work"/objects/tactus_*.o "$build"/apps/tactus/CMakeFiles/tactus.dir/*.o \
  -L"$build/apps/tactus" -ltactus_program $libraries -o "$work/tactus"
# shellcheck disable=SC2086
"$cxx" $flags "$work"/objects/*.o $libraries -lgtest_main -lgtest -o "$work/laws"

"$work/laws" --gtest_filter='*perpendicular*' >"$work/laws.log" || { cat "$work/laws.log"; exit 1; }
grep -q '\[  PASSED  \] [1-9]' "$work/laws.log"

# The constraint holds, and twice the steps leave a quarter of the error (between 3 and 5 times): order 2.
model="$work/tree/models/slot_gate.yaml"
"$work/tactus" check "$model" >"$work/check"
grep -q 'the z axes of .* are perpendicular' "$work/check"
last() { "$work/tactus" simulate "$model" --integrator "$1" --duration 1 --step "$2" --sample 0.1 --out - | tail -1; }
"$work/tactus" simulate --help | grep -q midpoint
reference="$(last rk4 1e-4)" coarse="$(last midpoint 2e-3)" fine="$(last midpoint 1e-3)"
printf '%s\n' "$reference" "$coarse" "$fine" | awk -F, '
  NR == 1 { for (i = 2; i <= 8; ++i) exact[i] = $i }
  NR > 1 { for (i = 2; i <= 8; ++i) { d = $i - exact[i]; error[NR] += d * d } error[NR] = sqrt(error[NR]) }
  END {
    ratio = error[3] > 0 ? error[2] / error[3] : 0
    printf "errors of midpoint with steps of 2 and 1 ms: %g %g, ratio %g\n", error[2], error[3], ratio
    exit !(error[2] < 1e-3 && ratio > 3 && ratio < 5)
  }'

# The new language compiles.
"$work/tactus" generate "$model" --lang c_source --out "$work" >/dev/null
cc -std=c99 -Wall -c "$work/slot_gate.c" -o "$work/slot_gate.o"
