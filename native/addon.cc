// The addon's table of contents: what JavaScript sees, by group.
#include <napi.h>

#include "env.h"
#include "exports.h"

static Napi::Object InitAddon(Napi::Env env, Napi::Object exports) {
  env.SetInstanceData(new tfe::EnvData(env));
  exports.Set("scratch", tfe::EnvData::From(env).scratch_value());
  tfe::ExportLibrary(env, exports);
  tfe::ExportTensor(env, exports);
  tfe::ExportOp(env, exports);
  tfe::ExportAsync(env, exports);
  tfe::ExportContext(env, exports);
  return exports;
}

NODE_API_MODULE(tfe_node, InitAddon)
