#include "op.h"

#include <algorithm>
#include <atomic>
#include <exception>
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
  bool is_list;
  const char* name;
} kAttrKinds[] = {
    {kTfAttrType, false, "type"},
    {kTfAttrBool, false, "bool"},
    {kTfAttrInt, false, "int"},
    {kTfAttrFloat, false, "float"},
    {kTfAttrString, false, "string"},
    {kTfAttrShape, false, "shape"},
    {kTfAttrTensor, false, "tensor"},
    {kTfAttrFunc, false, "func"},
    {kTfAttrType, true, "list(type)"},
    {kTfAttrBool, true, "list(bool)"},
    {kTfAttrInt, true, "list(int)"},
    {kTfAttrFloat, true, "list(float)"},
    {kTfAttrString, true, "list(string)"},
    {kTfAttrShape, true, "list(shape)"},
    {kTfAttrFunc, true, "list(func)"},
};
static_assert(std::size(kAttrKinds) == std::variant_size_v<AttrValue>);

// Of the numbers that say a shape, an axis or a padding. More of them are data.
constexpr int64_t kMaxShapeValues = 1024;

// Index of a prepared op: generation above slot, below 2^53.
constexpr int kSlotBits = 24;
constexpr uint32_t kMaxGeneration = (1u << 28) - 1;
constexpr int64_t kSlotMask = (int64_t{1} << kSlotBits) - 1;

// Sets one attribute of any kind. The C API copies every value during the call.
struct AttrSetter {
  TFE_Op* op;
  TFE_Context* context;
  const char* name;
  TF_Status* status;

  void operator()(AttrType value) const { TheApi().TFE_OpSetAttrType(op, name, value.tf); }
  void operator()(bool value) const { TheApi().TFE_OpSetAttrBool(op, name, value ? 1 : 0); }
  void operator()(int64_t value) const { TheApi().TFE_OpSetAttrInt(op, name, value); }
  void operator()(float value) const { TheApi().TFE_OpSetAttrFloat(op, name, value); }
  void operator()(const std::string& value) const {
    TheApi().TFE_OpSetAttrString(op, name, value.data(), value.size());
  }
  void operator()(const AttrShape& value) const {
    TheApi().TFE_OpSetAttrShape(op, name, Dims(value), Rank(value), status);
  }
  void operator()(const AttrTensor& value) const {
    TheApi().TFE_OpSetAttrTensor(op, name, value.get(), status);
  }
  void operator()(const AttrFunction& value) const {
    TheApi().TFE_OpSetAttrFunctionName(op, name, value.name.data(), value.name.size());
  }
  void operator()(const AttrList<AttrType>& values) const {
    std::vector<int> types;
    for (AttrType type : values) types.push_back(type.tf);
    TheApi().TFE_OpSetAttrTypeList(op, name, types.data(), Count(values));
  }
  void operator()(const AttrList<bool>& values) const {
    const std::vector<unsigned char> bytes(values.begin(), values.end());
    TheApi().TFE_OpSetAttrBoolList(op, name, bytes.data(), Count(values));
  }
  void operator()(const AttrList<int64_t>& values) const {
    TheApi().TFE_OpSetAttrIntList(op, name, values.data(), Count(values));
  }
  void operator()(const AttrList<float>& values) const {
    TheApi().TFE_OpSetAttrFloatList(op, name, values.data(), Count(values));
  }
  void operator()(const AttrList<std::string>& values) const {
    std::vector<const void*> data;
    std::vector<size_t> lengths;
    for (const std::string& value : values) {
      data.push_back(value.data());
      lengths.push_back(value.size());
    }
    TheApi().TFE_OpSetAttrStringList(op, name, data.data(), lengths.data(), Count(values));
  }
  void operator()(const AttrList<AttrShape>& values) const {
    std::vector<const int64_t*> dims;
    std::vector<int> ranks;
    for (const AttrShape& shape : values) {
      dims.push_back(Dims(shape));
      ranks.push_back(Rank(shape));
    }
    TheApi().TFE_OpSetAttrShapeList(op, name, dims.data(), ranks.data(), Count(values), status);
  }
  // A list of functions is taken as ops, an attribute alone by its name.
  void operator()(const AttrList<AttrFunction>& values) const {
    std::vector<OpPtr> owners;
    std::vector<const TFE_Op*> ops;
    for (const AttrFunction& function : values) {
      owners.emplace_back(TheApi().TFE_NewOp(context, function.name.c_str(), status));
      if (!IsOk(status)) return;
      ops.push_back(owners.back().get());
    }
    TheApi().TFE_OpSetAttrFunctionList(op, name, ops.data(), Count(values));
  }

  template <typename T>
  static int Count(const AttrList<T>& values) {
    return static_cast<int>(values.size());
  }
  static int Rank(const AttrShape& shape) {
    return shape.dims.has_value() ? static_cast<int>(shape.dims->size()) : -1;
  }
  static const int64_t* Dims(const AttrShape& shape) {
    return shape.dims.has_value() ? shape.dims->data() : nullptr;
  }
};

}  // namespace

TF_Status* OpRunner::status() {
  if (!IsOk(status_.get())) status_.reset(TheApi().TF_NewStatus());
  return status_.get();
}

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
    if ((is_list != 0) != given.is_list || kind != given.tf) {
      return PrepareFailure("the kind that " + op.name + " declares for its attribute " +
                            attr.name + ", not " + given.name);
    }
    Status known = CheckFunctions(attr);
    if (!known.ok()) return known;
  }
  return Done{};
}

Status OpRunner::CheckFunctions(const Attr& attr) {
  const auto unknown = [this](const AttrFunction& function) {
    return TheApi().TFE_ContextHasFunction(context_->get(), function.name.c_str()) == 0;
  };
  const AttrFunction* missing = nullptr;
  if (const auto* one = std::get_if<AttrFunction>(&attr.value)) {
    if (unknown(*one)) missing = one;
  } else if (const auto* list = std::get_if<AttrList<AttrFunction>>(&attr.value)) {
    const auto found = std::find_if(list->begin(), list->end(), unknown);
    if (found != list->end()) missing = &*found;
  }
  if (missing == nullptr) return Done{};
  return Failure{"TFE_OP_FUNCTION", {{"attribute", attr.name}, {"name", missing->name}}};
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
  if (signature->has_ref) return PrepareFailure("an op without references, unlike " + op.name);
  // How many a list holds is seen only when the op runs.
  if (!signature->has_list_output && signature->outputs != static_cast<size_t>(op.outputs)) {
    return PrepareFailure("an op with " + std::to_string(op.outputs) + " outputs, unlike " +
                          op.name);
  }
  return Done{};
}

Result<int64_t> OpRunner::Prepare(PreparedOp op) {
  if (free_.empty()) {
    if (slots_.size() > static_cast<size_t>(kSlotMask)) {
      return PrepareFailure("fewer than 2^24 prepared ops");
    }
    free_.push_back(static_cast<uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const uint32_t index = free_.back();
  free_.pop_back();
  Slot& slot = slots_[index];
  static std::atomic<uint64_t> serials{0};
  op.serial = serials.fetch_add(1) + 1;
  slot.op = std::make_shared<const PreparedOp>(std::move(op));
  return (static_cast<int64_t>(slot.generation) << kSlotBits) | index;
}

const PreparedOp* OpRunner::Find(int64_t index) const {
  const int64_t at = index & kSlotMask;
  if (index < 0 || static_cast<size_t>(at) >= slots_.size()) return nullptr;
  const Slot& slot = slots_[static_cast<size_t>(at)];
  return index >> kSlotBits == static_cast<int64_t>(slot.generation) ? slot.op.get() : nullptr;
}

PreparedOpPtr OpRunner::Share(int64_t index) const {
  return Find(index) == nullptr ? nullptr : slots_[static_cast<size_t>(index & kSlotMask)].op;
}

bool OpRunner::Forget(int64_t index) {
  if (Find(index) == nullptr) return false;
  const uint32_t at = static_cast<uint32_t>(index & kSlotMask);
  Slot& slot = slots_[at];
  slot.op.reset();
  // A slot whose generations are used up is retired.
  if (++slot.generation <= kMaxGeneration) free_.push_back(at);
  return true;
}

Status OpRunner::SetAttrs(const PreparedOp& op) {
  for (const Attr& attr : op.attrs) {
    std::visit(AttrSetter{op_.get(), context_->get(), attr.name.c_str(), status_.get()},
               attr.value);
  }
  // Setters that cannot fail leave the status as it was: OK since the reset.
  if (!IsOk(status_.get())) return OpFailure(op, status_.get());
  return Done{};
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

Status OpRunner::CheckShapes(const PreparedOp& op, TFE_TensorHandle* const* inputs) {
  const Api& api = TheApi();
  std::vector<TFE_TensorHandle*> handles(inputs, inputs + op.inputs);
  for (const ConstantInput& constant : op.constants) {
    handles.insert(handles.begin() + constant.position, constant.handle.get());
  }
  const ShapeListPtr shapes(api.TF_NewShapeAndTypeList(static_cast<int>(handles.size())));
  std::vector<TensorPtr> owners(handles.size());
  std::vector<TF_Tensor*> values(handles.size(), nullptr);
  std::vector<int64_t> dims;
  for (size_t i = 0; i < handles.size(); ++i) {
    const int rank = api.TFE_TensorHandleNumDims(handles[i], status_.get());
    if (!IsOk(status_.get())) return OpFailure(op, status_.get());
    int64_t count = 1;
    dims.resize(static_cast<size_t>(rank));
    for (int axis = 0; axis < rank; ++axis) {
      const int64_t dim = api.TFE_TensorHandleDim(handles[i], axis, status_.get());
      dims[static_cast<size_t>(axis)] = dim;
      count = std::min(count, kMaxShapeValues) * std::min(dim, kMaxShapeValues + 1);
    }
    if (!IsOk(status_.get())) return OpFailure(op, status_.get());
    api.TF_ShapeAndTypeListSetShape(shapes.get(), static_cast<int>(i), dims.data(), rank);
    const int type = api.TFE_TensorHandleDataType(handles[i]);
    if (count > kMaxShapeValues || (type != kTfInt32 && type != kTfInt64)) continue;
    owners[i].reset(api.TFE_TensorHandleResolve(handles[i], status_.get()));
    if (!IsOk(status_.get())) return OpFailure(op, status_.get());
    values[i] = owners[i].get();
  }
  TF_ShapeAndTypeList* answer = nullptr;
  api.TFE_InferShapes(op_.get(), shapes.get(), values.data(), nullptr, nullptr, &answer, nullptr,
                      status_.get());
  const ShapeListPtr unused(answer);
  if (!IsOk(status_.get())) return OpFailure(op, status_.get());
  return Done{};
}

bool OpRunner::IsLoaded(const PreparedOp& op, const int* types) const {
  return loaded_ == op.serial && op.inputs <= kMaxInputs &&
         std::equal(types, types + op.inputs, loaded_types_.begin());
}

Status OpRunner::Load(const PreparedOp& op, TFE_TensorHandle* const* inputs) {
  const Api& api = TheApi();
  std::array<int, kMaxInputs> types{};
  for (int i = 0; i < std::min(op.inputs, kMaxInputs); ++i) {
    types[static_cast<size_t>(i)] = api.TFE_TensorHandleDataType(inputs[i]);
  }
  if (IsLoaded(op, types.data())) return AddInputs(op, inputs);
  if (op_ == nullptr) {
    op_.reset(api.TFE_NewOp(context_->get(), op.name.c_str(), status_.get()));
    if (!IsOk(status_.get())) return OpFailure(op, status_.get());
  }
  // Also on a fresh op: Reset is what takes the device.
  const char* device = op.device.empty() ? context_->cpu_pin() : op.device.c_str();
  api.TFE_OpReset(op_.get(), op.name.c_str(), device, status_.get());
  if (!IsOk(status_.get())) return OpFailure(op, status_.get());
  Status set = SetAttrs(op);
  if (!set.ok()) return set;
  loaded_ = context_->devices().size() == 1 && op.inputs <= kMaxInputs ? op.serial : 0;
  loaded_types_ = types;
  return AddInputs(op, inputs);
}

Status OpRunner::Execute(const PreparedOp& op, TFE_TensorHandle* const* inputs,
                         TFE_CancellationManager* cancellation, TFE_TensorHandle** outputs,
                         int* count) {
  Status done = Load(op, inputs);
  if (done.ok() && op.checks_shapes) done = CheckShapes(op, inputs);
  if (done.ok() && cancellation != nullptr) {
    TheApi().TFE_OpSetCancellationManager(op_.get(), cancellation, status_.get());
    if (!IsOk(status_.get())) done = OpFailure(op, status_.get());
  }
  if (done.ok()) {
    try {
      TheApi().TFE_Execute(op_.get(), outputs, count, status_.get());
      if (IsOk(status_.get())) {
        // Not where oneDNN has run another op in its place: then this one has kept its inputs.
        if (TheApi().TFE_OpGetFlatInputCount(op_.get(), status_.get()) != 0) loaded_ = 0;
        return done;
      }
      done = OpFailure(op, status_.get());
    } catch (const std::exception& error) {
      // Some kernels take sizes from attributes and let the allocator's exception through.
      done = Failure{"TFE_OP_FAILED",
                     {{"op", op.label}, {"kernel", op.name}, {"reason", error.what()}}};
    }
  }
  // A failed op keeps references to its inputs; a new one does not.
  op_.reset();
  loaded_ = 0;
  return done;
}

Result<HandlePtr> OpRunner::Run(const PreparedOp& op, TFE_TensorHandle* const* inputs) {
  TFE_TensorHandle* output = nullptr;
  int count = 1;
  Status done = Execute(op, inputs, nullptr, &output, &count);
  if (!done.ok()) return std::move(done.failure());
  // An op whose output is a list may succeed and answer nothing.
  if (count != 1) return PrepareFailure("an op with one output, unlike " + op.name);
  return HandlePtr(output);
}

Status OpRunner::RunMany(const PreparedOp& op, TFE_TensorHandle* const* inputs,
                         std::vector<HandlePtr>* outputs, TFE_CancellationManager* cancellation) {
  std::vector<TFE_TensorHandle*> handles(static_cast<size_t>(op.outputs), nullptr);
  int count = op.outputs;
  Status done = Execute(op, inputs, cancellation, handles.data(), &count);
  outputs->clear();
  if (!done.ok()) return done;
  for (int i = 0; i < count; ++i) outputs->emplace_back(handles[static_cast<size_t>(i)]);
  return done;
}

}  // namespace tfe
