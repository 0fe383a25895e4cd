// Tensor memory lent to JavaScript without a copy: an ArrayBuffer that holds a share of the TF_Tensor.
// Owner of the share: the ArrayBuffer's finalizer, which also runs when the environment ends.
// Thread: the environment's own.
#ifndef TFE_NODE_LEND_H_
#define TFE_NODE_LEND_H_

#include <napi.h>

#include <cstdint>
#include <memory>

#include "raii.h"

namespace tfe {

// Bytes that are lent now. Finalizers may run after everything else of the environment, so they share it.
using LentBytes = std::shared_ptr<int64_t>;

// The memory of `tensor` as an ArrayBuffer; undefined where the host forbids memory that is not its own
// (Electron) and for an empty tensor: the caller then copies. Throws what Node-API throws.
Napi::Value LendBytes(Napi::Env env, TensorPtr tensor, const LentBytes& lent);

}  // namespace tfe

#endif  // TFE_NODE_LEND_H_
