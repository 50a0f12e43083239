// What tells the equations of two mechanisms apart: what their kernels compute at one place that is nothing special.
#pragma once

#include <tactus/base/fingerprint.h>
#include <tactus/generate/kernel.h>

namespace tactus::simulate {

/// Reads adjustable parameters as they are at the moment: to be called before they change.
void add_kernel(Fingerprint& print, const generate::Kernel& kernel);

}  // namespace tactus::simulate
