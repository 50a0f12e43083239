#!/usr/bin/env bash
# Installs the build into a tree of its own and builds a tiny consumer against it: consumer.sh cmake|pkg-config BUILD_DIR CXX FLAGS
set -euo pipefail
how="$1" build="$2" cxx="$3" flags="${4:-}"
source_dir="$(cd "$(dirname "${BASH_SOURCE[0]}")/consumer" && pwd)"
work="$build/consumer-$how"
prefix="$work/prefix"

rm -rf "$work"
cmake --install "$build" --prefix "$prefix" >/dev/null
test -x "$prefix/bin/tactus"
test -d "$prefix/share/tactus/models"

case "$how" in
  cmake)
    CXXFLAGS="$flags" cmake -S "$source_dir" -B "$work/build" -G Ninja -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_PREFIX_PATH="$prefix"
    cmake --build "$work/build"
    "$work/build/consumer"
    ;;
  pkg-config)
    export PKG_CONFIG_PATH="$(dirname "$(find "$prefix" -name tactus.pc)")"
    # shellcheck disable=SC2046
    "$cxx" -std=c++20 $flags "$source_dir/consumer.cpp" -o "$work/consumer" $(pkg-config --cflags --libs tactus)
    "$work/consumer"
    ;;
esac
