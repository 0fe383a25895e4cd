// The groups of functions that the addon exports, one file each. Every function reads its arguments, calls
// one thing and answers; lib/native/binding.ts types them all.
#ifndef TFE_NODE_EXPORTS_H_
#define TFE_NODE_EXPORTS_H_

#include <napi.h>

namespace tfe {

void ExportLibrary(Napi::Env env, Napi::Object exports);
void ExportTensor(Napi::Env env, Napi::Object exports);
void ExportOp(Napi::Env env, Napi::Object exports);
void ExportAsync(Napi::Env env, Napi::Object exports);
void ExportContext(Napi::Env env, Napi::Object exports);

}  // namespace tfe

#endif  // TFE_NODE_EXPORTS_H_
