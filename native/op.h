// Prepared ops: name, attributes and constant inputs, checked once and then run many times.
// An OpRunner belongs to one thread: an environment's (owner: EnvData) or one of the pool's (owner: WorkerPool::Loop);
// TFE_Op and TF_Status are not thread-safe. A PreparedOp never changes, and threads share it.
#ifndef TFE_NODE_OP_H_
#define TFE_NODE_OP_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "context.h"
#include "raii.h"
#include "status.h"

namespace tfe {

// Of Run: more than any op of the tables takes; a bound so that a call needs no allocation.
inline constexpr int kMaxInputs = 8;
// Of RunMany: TensorFlow makes tables of this length from one number in an attribute.
inline constexpr int kMaxListed = 1 << 16;

struct AttrType {
  int tf;
};
struct AttrShape {
  std::optional<std::vector<int64_t>> dims;  // none: any rank; -1: any size
};
struct AttrFunction {
  std::string name;
};
using AttrTensor = std::shared_ptr<TF_Tensor>;
template <typename T>
using AttrList = std::vector<T>;
using AttrValue =
    std::variant<AttrType, bool, int64_t, float, std::string, AttrShape, AttrTensor, AttrFunction,
                 AttrList<AttrType>, AttrList<bool>, AttrList<int64_t>, AttrList<float>,
                 AttrList<std::string>, AttrList<AttrShape>, AttrList<AttrFunction>>;

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
  // Never that of another prepared op of this process; 0: none yet. An address may come again.
  uint64_t serial = 0;
  std::string label;  // what the caller knows it by: "tf.matmul"
  std::string name;   // TensorFlow's op: "MatMul"
  // Always set in full, so that one op makes one cached kernel in TensorFlow, never two.
  std::vector<Attr> attrs;
  std::vector<ConstantInput> constants;  // by ascending position
  int inputs = 0;                        // tensors that each call brings; constants not counted
  int outputs = 1;                       // at most; fewer is not an error of RunMany
  std::string device;                    // empty: the engine's
  // Its kernel trusts what the op's shape function checks, which eager execution does not run: run it at each call.
  bool checks_shapes = false;
};

// Work off the loop keeps its op alive when it is forgotten meanwhile.
using PreparedOpPtr = std::shared_ptr<const PreparedOp>;

// Runs prepared ops on one thread, reusing one TFE_Op and one TF_Status.
class OpRunner {
 public:
  explicit OpRunner(std::shared_ptr<Context> context);
  OpRunner(const OpRunner&) = delete;
  OpRunner& operator=(const OpRunner&) = delete;

  // Whether TensorFlow knows the op and agrees with the description of it. At the call it would not
  // notice: it ignores an unknown attribute and reads past its own tables for an input too many.
  Status Check(const PreparedOp& op);

  // Takes ownership of the description; answers its index: a slot and the slot's generation, so that the
  // index of a forgotten op never finds another.
  Result<int64_t> Prepare(PreparedOp op);
  // Null when there is none of that index.
  PreparedOpPtr Share(int64_t index) const;
  const PreparedOp* Find(int64_t index) const;
  // False when there is none of that index.
  bool Forget(int64_t index);

  // Runs the op on `inputs` (exactly op.inputs of them, borrowed). One output.
  Result<HandlePtr> Run(const PreparedOp& op, TFE_TensorHandle* const* inputs);
  // Likewise; as many outputs as there are, up to op.outputs. With `cancellation`, which outlives the call, kernels
  // that wait for something can be called off; a runner that was given one must always be given one.
  Status RunMany(const PreparedOp& op, TFE_TensorHandle* const* inputs,
                 std::vector<HandlePtr>* outputs, TFE_CancellationManager* cancellation = nullptr);

  // Frees TensorFlow's cached kernels; the next run of each op makes its kernel anew.
  void ClearKernels() { context_->ClearKernels(); }

  const Context& context() const { return *context_; }
  std::shared_ptr<Context> share_context() const { return context_; }
  // OK whenever it is asked for: some functions of TensorFlow write to a status in case of an error only.
  TF_Status* status();

 private:
  Status CheckArity(const PreparedOp& op);
  Status CheckAttrs(const PreparedOp& op);
  Status CheckFunctions(const Attr& attr);
  Status SetAttrs(const PreparedOp& op);
  Status AddInputs(const PreparedOp& op, TFE_TensorHandle* const* inputs);
  // Whether TensorFlow's own shape function takes the loaded op with these inputs.
  Status CheckShapes(const PreparedOp& op, TFE_TensorHandle* const* inputs);

  // Everything but TFE_Execute.
  Status Load(const PreparedOp& op, TFE_TensorHandle* const* inputs);
  // Load and TFE_Execute; `count` is the room for outputs, then their number. The outputs are the caller's.
  Status Execute(const PreparedOp& op, TFE_TensorHandle* const* inputs,
                 TFE_CancellationManager* cancellation, TFE_TensorHandle** outputs, int* count);

  // After a success TensorFlow has (mostly) emptied the op of its inputs and kept its attributes and device, also
  // the types it has inferred. So the same prepared op on the same types needs no TFE_OpReset: a fifth of
  // a small op's time. With other devices about, each run is placed anew.
  bool IsLoaded(const PreparedOp& op, const int* types) const;

  struct Slot {
    PreparedOpPtr op;
    uint32_t generation = 0;
  };

  // Declared in the order in which they may die last: context, constants (in slots_), status, op.
  std::shared_ptr<Context> context_;
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_;
  StatusPtr status_;
  OpPtr op_;
  uint64_t loaded_ = 0;  // serial of what op_ has run last, with success
  std::array<int, kMaxInputs> loaded_types_{};
};

}  // namespace tfe

#endif  // TFE_NODE_OP_H_
