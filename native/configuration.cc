#include "configuration.h"

#include <cstdlib>
#include <memory>
#include <mutex>

namespace tfe {
namespace {

std::mutex g_mutex;
bool g_sealed = false;

// Made on first use and never destroyed: threads may ask for it while the process ends.
Configuration& InForce() {
  static Configuration* const configuration = std::make_unique<Configuration>().release();
  return *configuration;
}

}  // namespace

Configuration Configuration::Current() {
  const std::lock_guard<std::mutex> lock(g_mutex);
  return InForce();
}

Status Configuration::Choose(Configuration configuration) {
  const std::lock_guard<std::mutex> lock(g_mutex);
  Configuration& in_force = InForce();
  if (in_force.text == configuration.text) return Done{};
  const std::string known = in_force.text.empty() ? "the defaults" : in_force.text;
  if (g_sealed) {
    return Failure{"TFE_CONFIGURE_LATE", {{"inForce", known}, {"received", configuration.text}}};
  }
  if (!in_force.text.empty()) {
    return Failure{"TFE_CONFIGURE_CONFLICT",
                   {{"inForce", known}, {"received", configuration.text}}};
  }
  in_force = std::move(configuration);
  return Done{};
}

void Configuration::Seal() {
  const std::lock_guard<std::mutex> lock(g_mutex);
  if (g_sealed) return;
  g_sealed = true;
  for (const auto& [name, value] : InForce().environment) setenv(name.c_str(), value.c_str(), 1);
}

}  // namespace tfe
