// The functions of the library, as the contestants of bench/ find them: no checks, one dlsym each.
#ifndef TFE_NODE_BENCH_API_H_
#define TFE_NODE_BENCH_API_H_

#include <dlfcn.h>

#include "abi.h"

namespace tfe_bench {

// dlsym on the cc image also searches the framework, which it depends on.
inline tfe::Api Resolve(void* cc) {
  tfe::Api api;
#define TFE_NODE_RESOLVE(owner, name, result, parameters) \
  api.name = reinterpret_cast<result(*) parameters>(dlsym(cc, #name));
  TFE_NODE_SYMBOLS(TFE_NODE_RESOLVE)
#undef TFE_NODE_RESOLVE
  return api;
}

}  // namespace tfe_bench

#endif  // TFE_NODE_BENCH_API_H_
