#include "op.h"

#include <iterator>
#include <optional>
#include <utility>

#include "op_signature.h"

namespace tfe {

OpRunner::OpRunner(std::shared_ptr<Context> context)
    : context_(std::move(context)), status_(TheApi().TF_NewStatus()) {}

namespace {

Failure OpFailure(const PreparedOp& op, const TF_Status* status) {
  Failure failure = FromTfStatus("TFE_OP_FAILED", status);
  failure.facts = {{"op", op.label}, {"kernel", op.name}, {"reason", failure.tf_message}};
  return failure;
}

Failure PrepareFailure(const std::string& expected) {
  return Failure{"TFE_BINDING_ARGUMENT", {{"function", "prepare"}, {"expected", expected}}};
}

// The kind that an attribute of each AttrValue alternative must have in TensorFlow, in their order.
constexpr struct {
  int tf;
  const char* name;
} kAttrKinds[] = {
    {kTfAttrType, "type"},   {kTfAttrBool, "bool"},     {kTfAttrInt, "int"},
    {kTfAttrFloat, "float"}, {kTfAttrString, "string"},
};
static_assert(std::size(kAttrKinds) == std::variant_size_v<AttrValue>);

}  // namespace

Status OpRunner::Check(const PreparedOp& op) {
  Status checked = CheckAttrs(op);
  return checked.ok() ? CheckArity(op) : std::move(checked);
}

Status OpRunner::CheckAttrs(const PreparedOp& op) {
  const Api& api = TheApi();
  OpPtr probe(api.TFE_NewOp(context_->get(), op.name.c_str(), status_.get()));
  if (!IsOk(status_.get())) return OpFailure(op, status_.get());
  for (const Attr& attr : op.attrs) {
    unsigned char is_list = 0;
    const int kind = api.TFE_OpGetAttrType(probe.get(), attr.name.c_str(), &is_list, status_.get());
    if (!IsOk(status_.get())) return OpFailure(op, status_.get());
    const auto& given = kAttrKinds[attr.value.index()];
    if (is_list != 0 || kind != given.tf) {
      return PrepareFailure("the kind that " + op.name + " declares for its attribute " +
                            attr.name + ", not " + given.name);
    }
  }
  return Done{};
}

Status OpRunner::CheckArity(const PreparedOp& op) {
  const Api& api = TheApi();
  GraphPtr graph(api.TF_NewGraph());
  BufferPtr definition(api.TF_NewBuffer());
  api.TF_GraphGetOpDef(graph.get(), op.name.c_str(), definition.get(), status_.get());
  if (!IsOk(status_.get())) return OpFailure(op, status_.get());
  const std::optional<OpSignature> signature =
      ReadOpSignature(definition->data, definition->length);
  if (!signature.has_value()) return PrepareFailure("an op whose OpDef can be read: " + op.name);
  const size_t given = static_cast<size_t>(op.inputs) + op.constants.size();
  if (!signature->has_list_input && signature->inputs != given) {
    return PrepareFailure("as many inputs as " + op.name + " takes, " +
                          std::to_string(signature->inputs));
  }
  // A list may turn out to hold one tensor; Run looks again.
  if (signature->outputs != 1) return PrepareFailure("an op with one output, unlike " + op.name);
  return Done{};
}

int OpRunner::Prepare(PreparedOp op) {
  ops_.push_back(std::move(op));
  return static_cast<int>(ops_.size()) - 1;
}

const PreparedOp* OpRunner::Find(int index) const {
  if (index < 0 || static_cast<size_t>(index) >= ops_.size()) return nullptr;
  return &ops_[static_cast<size_t>(index)];
}

void OpRunner::SetAttrs(const PreparedOp& op) {
  struct Setter {
    TFE_Op* op;
    const char* name;
    void operator()(AttrType value) const { TheApi().TFE_OpSetAttrType(op, name, value.tf); }
    void operator()(bool value) const { TheApi().TFE_OpSetAttrBool(op, name, value ? 1 : 0); }
    void operator()(int64_t value) const { TheApi().TFE_OpSetAttrInt(op, name, value); }
    void operator()(float value) const { TheApi().TFE_OpSetAttrFloat(op, name, value); }
    void operator()(const std::string& value) const {
      TheApi().TFE_OpSetAttrString(op, name, value.data(), value.size());
    }
  };
  for (const Attr& attr : op.attrs) std::visit(Setter{op_.get(), attr.name.c_str()}, attr.value);
}

Status OpRunner::AddInputs(const PreparedOp& op, TFE_TensorHandle* const* inputs) {
  const Api& api = TheApi();
  auto constant = op.constants.begin();
  int given = 0;
  const int total = op.inputs + static_cast<int>(op.constants.size());
  for (int position = 0; position < total; ++position) {
    const bool is_constant = constant != op.constants.end() && constant->position == position;
    TFE_TensorHandle* handle = is_constant ? (constant++)->handle.get() : inputs[given++];
    api.TFE_OpAddInput(op_.get(), handle, status_.get());
    if (!IsOk(status_.get())) return OpFailure(op, status_.get());
  }
  return Done{};
}

Result<HandlePtr> OpRunner::Run(const PreparedOp& op, TFE_TensorHandle* const* inputs) {
  const Api& api = TheApi();
  if (op_ == nullptr) {
    op_.reset(api.TFE_NewOp(context_->get(), op.name.c_str(), status_.get()));
    if (!IsOk(status_.get())) return OpFailure(op, status_.get());
  }
  // Also on a fresh op: Reset is what takes the device.
  api.TFE_OpReset(op_.get(), op.name.c_str(), context_->cpu_pin(), status_.get());
  if (!IsOk(status_.get())) return OpFailure(op, status_.get());
  SetAttrs(op);

  Status added = AddInputs(op, inputs);
  TFE_TensorHandle* output = nullptr;
  int outputs = 1;
  if (added.ok()) {
    api.TFE_Execute(op_.get(), &output, &outputs, status_.get());
    if (IsOk(status_.get()) && outputs == 1) return HandlePtr(output);
    // An op whose output is a list may succeed and answer nothing.
    added = !IsOk(status_.get()) ? OpFailure(op, status_.get())
                                 : PrepareFailure("an op with one output, unlike " + op.name);
  }
  // A failed op keeps references to its inputs; a new one does not.
  op_.reset();
  return std::move(added.failure());
}

}  // namespace tfe
