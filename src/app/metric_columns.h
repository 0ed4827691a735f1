#pragma once
// The columns of metrics.csv that every run has, and their values.

#include "hydrolith/frame.h"

#include <string>
#include <vector>

namespace hydrolith {

std::vector<std::string> step_columns();
void append_step_values(const StepReport& report, std::vector<double>& values);

}  // namespace hydrolith
