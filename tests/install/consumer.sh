#!/usr/bin/env bash
# Installs the build into a tree of its own and builds and runs a consumer against it, in the folder of the installed models. The consumer
# holds the README's loop as it is printed there: consumer.sh cmake|pkg-config BUILD_DIR CXX FLAGS
set -euo pipefail
how="$1" build="$2" cxx="$3" flags="${4:-}"
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
work="$build/consumer-$how"
prefix="$work/prefix"

rm -rf "$work"
cmake --install "$build" --prefix "$prefix" >/dev/null
test -x "$prefix/bin/tactus"
test -d "$prefix/share/tactus/models"

cp -r "$here/consumer" "$work/source"
awk '/^```cpp$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' "$here/../../README.md" >"$work/source/readme_loop.inc"
test -s "$work/source/readme_loop.inc"

case "$how" in
  cmake)
    CXXFLAGS="$flags" cmake -S "$work/source" -B "$work/build" -G Ninja -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_PREFIX_PATH="$prefix"
    cmake --build "$work/build"
    program="$work/build/consumer"
    ;;
  pkg-config)
    export PKG_CONFIG_PATH="$(dirname "$(find "$prefix" -name tactus.pc)")"
    program="$work/consumer"
    # shellcheck disable=SC2046
    "$cxx" -std=c++20 $flags "$work/source/consumer.cpp" -o "$program" $(pkg-config --cflags --libs tactus)
    ;;
esac
cd "$prefix/share/tactus"
"$program"
