// Prepared ops: name, attributes and constant inputs, checked once and then run many times.
// Owner: EnvData. Thread: the environment's own thread only (TFE_Op and TF_Status are not thread-safe).
#ifndef TFE_NODE_OP_H_
#define TFE_NODE_OP_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "context.h"
#include "raii.h"
#include "status.h"

namespace tfe {

// More than any op of the tables takes; a bound so that a call needs no allocation.
inline constexpr int kMaxInputs = 8;

struct AttrType {
  int tf;
};
using AttrValue = std::variant<AttrType, bool, int64_t, float, std::string>;

struct Attr {
  std::string name;
  AttrValue value;
};

// An input that is the same at every call (an axis, a permutation); it dies with the prepared op.
struct ConstantInput {
  int position;
  HandlePtr handle;
};

struct PreparedOp {
  std::string label;  // what the caller knows it by: "tf.matmul"
  std::string name;   // TensorFlow's op: "MatMul"
  // Always set in full, so that one op makes one cached kernel in TensorFlow, never two.
  std::vector<Attr> attrs;
  std::vector<ConstantInput> constants;  // by ascending position
  int inputs = 0;                        // tensors that each call brings; constants not counted
};

// Runs prepared ops on one thread, reusing one TFE_Op and one TF_Status.
class OpRunner {
 public:
  explicit OpRunner(std::shared_ptr<Context> context);
  OpRunner(const OpRunner&) = delete;
  OpRunner& operator=(const OpRunner&) = delete;

  // Whether TensorFlow knows the op and agrees with the description of it. At the call it would not
  // notice: it ignores an unknown attribute and reads past its own tables for an input too many.
  Status Check(const PreparedOp& op);

  // Takes ownership of the description; answers its index.
  int Prepare(PreparedOp op);
  const PreparedOp* Find(int index) const;

  // Runs the op on `inputs` (exactly op.inputs of them, borrowed). One output.
  Result<HandlePtr> Run(const PreparedOp& op, TFE_TensorHandle* const* inputs);

  const Context& context() const { return *context_; }
  std::shared_ptr<Context> share_context() const { return context_; }
  TF_Status* status() { return status_.get(); }

 private:
  Status CheckArity(const PreparedOp& op);
  Status CheckAttrs(const PreparedOp& op);
  void SetAttrs(const PreparedOp& op);
  Status AddInputs(const PreparedOp& op, TFE_TensorHandle* const* inputs);

  // Declared in the order in which they may die last: context, constants (in ops_), status, op.
  std::shared_ptr<Context> context_;
  // A deque: work off the loop refers to an op while others are prepared.
  std::deque<PreparedOp> ops_;
  StatusPtr status_;
  OpPtr op_;
};

}  // namespace tfe

#endif  // TFE_NODE_OP_H_
