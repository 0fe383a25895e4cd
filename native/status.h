// How failures travel inside the addon: as values, never as exceptions and never as pending
// JavaScript errors. Only the boundary (env.h) turns a Failure into a thrown TfeError.
#ifndef TFE_NODE_STATUS_H_
#define TFE_NODE_STATUS_H_

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "abi.h"

namespace tfe {

// One failed step. `code` is a key of lib/errors; `facts` are what that row's message needs.
struct Failure {
  const char* code;
  std::vector<std::pair<const char*, std::string>> facts;
  // TensorFlow's own status; 0 when TensorFlow was not the one that refused.
  int tf_code = 0;
  std::string tf_message = {};
};

// A value or the failure that stands in its way.
template <typename T>
class Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Failure failure) : state_(std::in_place_index<1>, std::move(failure)) {}

  bool ok() const { return state_.index() == 0; }
  T& value() { return std::get<0>(state_); }
  const T& value() const { return std::get<0>(state_); }
  Failure& failure() { return std::get<1>(state_); }

 private:
  std::variant<T, Failure> state_;
};

// Success without a value.
struct Done {};
using Status = Result<Done>;

bool IsOk(const TF_Status* status);

// TensorFlow's refusal as a Failure of `code`. Call only when the status is not OK.
Failure FromTfStatus(const char* code, const TF_Status* status);

}  // namespace tfe

#endif  // TFE_NODE_STATUS_H_
