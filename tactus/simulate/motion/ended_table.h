// A table with `beyond: error` is no number past its ends, so that a motion ends there: which table, in which force, at which argument.
#pragma once

#include <string>
#include <vector>

#include <tactus/describe/model/model.h>

namespace tactus::simulate {

/// "the table `push` in the force `f` has ended: ..."; "" where no force of the model is past the end of its table at that moment. Arguments
/// are looked at that are formulas of the time, coordinates, their rates and parameters.
std::string ended_table(const describe::Model& model, double t, const std::vector<double>& q,
                        const std::vector<double>& u);

}  // namespace tactus::simulate
