// What the threads of a process share, as JavaScript sees it: the configuration, tensors on their way from one
// thread to another, and what is held.
#include <chrono>
#include <string>
#include <utility>

#include "arguments.h"
#include "configuration.h"
#include "env.h"
#include "exports.h"
#include "worker_pool.h"

namespace tfe {
namespace {

using Napi::CallbackInfo;

// configure(text, proto, environment: [name, value][], threads, queue, handles, bytes)
void Configure(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  Configuration configuration;
  configuration.text = StringArgument(data, info[0], "configure");
  const View proto = ViewArgument(data, info[1], "configure");
  configuration.proto.assign(static_cast<const char*>(proto.data), proto.length);
  if (!info[2].IsArray()) BadArgument(data, "configure", "an array of variables");
  const Napi::Array environment = info[2].As<Napi::Array>();
  for (uint32_t i = 0; i < environment.Length(); ++i) {
    const Napi::Value entry = environment[i];
    if (!entry.IsArray()) BadArgument(data, "configure", "variables as [name, value]");
    const Napi::Array variable = entry.As<Napi::Array>();
    configuration.environment.emplace_back(StringArgument(data, variable[0u], "configure"),
                                           StringArgument(data, variable[1u], "configure"));
  }
  const auto count = [&](size_t index, double least, double most) {
    return static_cast<size_t>(
        IntegerValue(data, info[index], least, most, "configure", "whole numbers within bounds"));
  };
  configuration.async_threads = count(3, 1, 256);
  configuration.async_queue = count(4, 1, kMaxInt);
  configuration.warn_handles = count(5, 0, kMaxSafeInteger);
  configuration.warn_bytes = count(6, 0, kMaxSafeInteger);
  Expect(data, Configuration::Choose(std::move(configuration)));
}

// configuration() => the text that is in force, '' when nobody configured
Napi::Value CurrentConfiguration(const CallbackInfo& info) {
  return Napi::String::New(info.Env(), Configuration::Current().text);
}

// setWarn(warn: (handles, bytes) => void)
void SetWarn(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  if (!info[0].IsFunction()) BadArgument(data, "setWarn", "a function");
  data.set_warn(info[0].As<Napi::Function>());
}

// exportTensor(id, milliseconds) => key
Napi::Value ExportHandle(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  OpRunner* runner = Expect(data, data.Runner());
  TFE_TensorHandle* handle =
      Expect(data, data.handles().Find(NumberValue(data, info[0], "exportTensor")));
  const int64_t milliseconds =
      IntegerValue(data, info[1], 0, kMaxInt, "exportTensor", "0 to 2^31 - 1 milliseconds");
  HandlePtr share = Expect(data, ShareHandle(handle, runner->status()));
  const std::shared_ptr<Context> context = runner->share_context();
  return Napi::String::New(
      info.Env(),
      context->exchange().Put(std::move(share),
                              Exchange::Clock::now() + std::chrono::milliseconds(milliseconds)));
}

// importTensor(key) => id; its dtype, rank and dims are in the scratch array
Napi::Value ImportHandle(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  OpRunner* runner = Expect(data, data.Runner());
  const std::string key = StringArgument(data, info[0], "importTensor");
  HandlePtr handle = Expect(data, runner->share_context()->exchange().Take(key));
  return Napi::Number::New(info.Env(), Expect(data, data.Adopt(std::move(handle))));
}

// held() => what this environment and the process hold, numbers only
Napi::Value Held(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  Napi::Object held = Napi::Object::New(info.Env());
  const auto set = [&held](const char* name, size_t value) {
    held.Set(name, static_cast<double>(value));
  };
  set("liveHandles", data.handles().live());
  set("peakHandles", data.handles().peak());
  set("liveBytes", data.handles().live_bytes());
  set("peakBytes", data.handles().peak_bytes());
  set("lentBytes", static_cast<size_t>(*data.lent()));
  set("pending", data.lane_if_used() != nullptr ? data.lane_if_used()->pending() : 0);
  const Configuration configuration = Configuration::Current();
  set("threads", configuration.async_threads);
  set("queue", configuration.async_queue);
  set("budgetHandles", configuration.warn_handles);
  set("budgetBytes", configuration.warn_bytes);
  size_t exported = 0;
  size_t process_pending = 0;
  // The process's, also in a thread that has not used it.
  if (const std::shared_ptr<Context> context = Context::IfAlive(); context != nullptr) {
    exported = context->exchange().Sweep();
    const WorkerPool* pool = context->pool_if_used();
    if (pool != nullptr) process_pending = pool->pending();
  }
  set("exported", exported);
  set("processPending", process_pending);
  return held;
}

}  // namespace

void ExportContext(Napi::Env env, Napi::Object exports) {
  exports.Set("configure", Napi::Function::New<Configure>(env));
  exports.Set("configuration", Napi::Function::New<CurrentConfiguration>(env));
  exports.Set("setWarn", Napi::Function::New<SetWarn>(env));
  exports.Set("exportTensor", Napi::Function::New<ExportHandle>(env));
  exports.Set("importTensor", Napi::Function::New<ImportHandle>(env));
  exports.Set("held", Napi::Function::New<Held>(env));
}

}  // namespace tfe
