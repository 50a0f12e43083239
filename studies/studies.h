// All studies, one function each: its folder holds one file per group of cases.
#pragma once

#include <vector>

#include <tactus/study/study.h>

namespace tactus::studies {

study::Study aghili2005();
study::Study faulring2006();
study::Study clover1996();
study::Study constantinescu2005();
study::Study gillespie2003();
study::Study iftomm_a02();

/// All of them, in the order of the papers' years; then the benchmark.
std::vector<study::Study> all();

}  // namespace tactus::studies
