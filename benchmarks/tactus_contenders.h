// Our own back ends as contenders.
#pragma once

#include <memory>
#include <vector>

#include <tactus/derive/equations.h>
#include <tactus/generate/kernel.h>

#include "contender.h"

namespace tactus::bench {

/// The function of a quantity, without friction.
algebra::Function function_of(const Mechanism& mechanism, Quantity quantity,
                              derive::ForwardMethod method = derive::ForwardMethod::automatic);

/// The inputs of a function at every state, one after the other.
std::vector<double> inputs_of(const algebra::Function& function, const Mechanism& mechanism);

/// A kernel that reads the states where they stand.
Contender kernel_contender(std::string system, const generate::Kernel& kernel,
                           const std::vector<double>& inputs, std::size_t result_size);

/// The looped recursion on double.
Contender recursion_contender(const Mechanism& mechanism, Quantity quantity);

/// Steps of a simulation, each going on from the one before.
Contender step_contender(const Mechanism& mechanism);

}  // namespace tactus::bench
