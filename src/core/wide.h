#pragma once
// Loops over plain numbers with wide code paths, chosen at run time by what the processor can do
// (Google Highway): the same binary runs on every x86-64 machine, and gives the same bits on all.

#include <span>
#include <string>

namespace hydrolith {

/// y += a x, element by element. The sizes must be equal.
void add_scaled(double a, std::span<const double> x, std::span<double> y);

/// The code path in use ("AVX2") and all that were built.
std::string instruction_set();

}  // namespace hydrolith
