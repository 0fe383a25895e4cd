#include "lend.h"

#include <utility>

namespace tfe {
namespace {

struct Lend {
  TensorPtr tensor;
  LentBytes lent;
  int64_t bytes;

  Lend(TensorPtr shared, LentBytes count, int64_t size)
      : tensor(std::move(shared)), lent(std::move(count)), bytes(size) {
    *lent += bytes;
  }
  ~Lend() { *lent -= bytes; }
};

void GiveBack(napi_env /*env*/, void* /*data*/, void* hint) {
  const std::unique_ptr<Lend> lend(static_cast<Lend*>(hint));
}

}  // namespace

Napi::Value LendBytes(Napi::Env env, TensorPtr tensor, const LentBytes& lent) {
  void* data = TheApi().TF_TensorData(tensor.get());
  const size_t size = TheApi().TF_TensorByteSize(tensor.get());
  if (size == 0) return env.Undefined();
  auto lend = std::make_unique<Lend>(std::move(tensor), lent, static_cast<int64_t>(size));
  napi_value buffer = nullptr;
  const napi_status made =
      napi_create_external_arraybuffer(env, data, size, GiveBack, lend.get(), &buffer);
  if (made == napi_no_external_buffers_allowed) return env.Undefined();
  if (made != napi_ok) throw Napi::Error::New(env);
  lend.release();  // the finalizer's now
  return Napi::Value(env, buffer);
}

}  // namespace tfe
