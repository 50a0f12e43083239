// The text of headers whose kernels generated code carries with it (generate::pasted_text). CMake makes them of the files.
#pragma once

#include <string_view>

namespace tactus::control {

extern const std::string_view kRankKernel;   // rank_kernel.h
extern const std::string_view kWristKernel;  // wrist_kernel.h

}  // namespace tactus::control
