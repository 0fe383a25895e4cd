// The library as JavaScript sees it: opening it, and what is open.
#include <cstdlib>  // defines __GLIBC__ where it is one
#include <string>

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "arguments.h"
#include "configuration.h"
#include "env.h"
#include "exports.h"
#include "library.h"

namespace tfe {
namespace {

using Napi::CallbackInfo;

// setErrorFactory(makeError: (code, facts, tfCode, tfMessage) => Error)
void SetErrorFactory(const CallbackInfo& info) {
  if (!info[0].IsFunction()) {
    throw Napi::TypeError::New(info.Env(), "setErrorFactory expects a function");
  }
  EnvData::From(info.Env()).set_make_error(info[0].As<Napi::Function>());
}

// open(ccPath, frameworkPath, version, cpuFlags: string[]) => reused: boolean
Napi::Value Open(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  LibraryRequest request;
  request.cc_path = StringArgument(data, info[0], "open");
  request.framework_path = StringArgument(data, info[1], "open");
  request.version = StringArgument(data, info[2], "open");
  if (!info[3].IsArray()) BadArgument(data, "open", "an array of CPU flags");
  const Napi::Array flags = info[3].As<Napi::Array>();
  for (uint32_t i = 0; i < flags.Length(); ++i) {
    request.cpu_flags.push_back(StringArgument(data, flags[i], "open"));
  }
  Configuration::Seal();
  const Library* library = Expect(data, Library::Open(request));
  return Napi::Boolean::New(info.Env(), library->reused());
}

// library() => version, paths and devices of the open library; undefined before
Napi::Value CurrentLibrary(const CallbackInfo& info) {
  const Napi::Env env = info.Env();
  EnvData& data = EnvData::From(env);
  const Library* library = Library::Current();
  if (library == nullptr) return env.Undefined();
  Napi::Array devices = Napi::Array::New(env);
  for (const Device& device : Expect(data, data.Runner())->context().devices()) {
    Napi::Object entry = Napi::Object::New(env);
    entry.Set("name", device.name);
    entry.Set("type", device.type);
    devices.Set(devices.Length(), entry);
  }
  Napi::Object answer = Napi::Object::New(env);
  answer.Set("version", library->version());
  answer.Set("ccPath", library->cc_path());
  answer.Set("frameworkPath", library->framework_path());
  answer.Set("devices", devices);
  return answer;
}

// The version of the glibc that runs, "2.36"; null where it is another C library.
Napi::Value RunningGlibc(Napi::Env env) {
#ifdef __GLIBC__
  return Napi::String::New(env, gnu_get_libc_version());
#else
  return env.Null();
#endif
}

}  // namespace

void ExportLibrary(Napi::Env env, Napi::Object exports) {
  exports.Set("setErrorFactory", Napi::Function::New<SetErrorFactory>(env));
  exports.Set("open", Napi::Function::New<Open>(env));
  exports.Set("glibc", RunningGlibc(env));
  exports.Set("library", Napi::Function::New<CurrentLibrary>(env));
}

}  // namespace tfe
