// Reading the arguments of exported functions. Nothing that JavaScript passes is trusted: a wrong argument
// is a typed error, never a crash. lib/native/binding.ts is the only caller and passes none.
// Thread: the environment's own only.
#ifndef TFE_NODE_ARGUMENTS_H_
#define TFE_NODE_ARGUMENTS_H_

#include <napi.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "env.h"
#include "status.h"

namespace tfe {

inline constexpr double kMaxInt = 2147483647.0;

// The value, or the failure thrown as a TfeError.
template <typename T>
T Expect(EnvData& data, Result<T> result) {
  if (!result.ok()) data.Throw(result.failure());
  return std::move(result.value());
}

[[noreturn]] void BadArgument(EnvData& data, const char* function, const char* expected);

double NumberValue(EnvData& data, napi_value value, const char* function);

// A whole number within the bounds; an argument that was not given is undefined and so none.
int64_t IntegerValue(EnvData& data, napi_value value, double min, double max, const char* function,
                     const char* expected);

// Text without NUL: TensorFlow and the loader would see only what stands before it.
std::string StringArgument(EnvData& data, const Napi::Value& value, const char* function);

// The memory of a typed array, DataView or Buffer. Borrowed: valid during the call only.
struct View {
  void* data;
  size_t length;
};
View ViewArgument(EnvData& data, const Napi::Value& value, const char* function);
// Likewise, of a Float64Array only.
View Float64Argument(EnvData& data, const Napi::Value& value, const char* function);

Napi::Value NewFloat64Array(Napi::Env env, const std::vector<double>& values);

}  // namespace tfe

#endif  // TFE_NODE_ARGUMENTS_H_
