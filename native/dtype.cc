#include "dtype.h"

#include <cstdint>

namespace tfe {
namespace {

static_assert(sizeof(float) == 4 && sizeof(double) == 8, "IEEE 754 single and double are assumed");

// Mirrors lib/tensor/dtype.ts; test/tensor/dtype.test.ts walks both.
constexpr DType kDTypes[] = {
    {1, "float32", 4},      {2, "float64", 8},  {3, "int32", 4},     {4, "uint8", 1},
    {5, "int16", 2},        {6, "int8", 1},     {7, "string", 0},    {8, "complex64", 8},
    {9, "int64", 8},        {10, "bool", 1},    {14, "bfloat16", 2}, {17, "uint16", 2},
    {18, "complex128", 16}, {19, "float16", 2}, {20, "resource", 0}, {21, "variant", 0},
    {22, "uint32", 4},      {23, "uint64", 8},
};

}  // namespace

const DType* FindDType(int tf) {
  for (const DType& dtype : kDTypes) {
    if (dtype.tf == tf) return &dtype;
  }
  return nullptr;
}

}  // namespace tfe
