// What configure() asked for, one for the process: the first to configure decides, and opening the library ends
// the choice, because TensorFlow reads most of it only once.
// Owner: the process. Thread: any (one mutex).
#ifndef TFE_NODE_CONFIGURATION_H_
#define TFE_NODE_CONFIGURATION_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "status.h"

namespace tfe {

struct Configuration {
  // The options as JavaScript's canonical text; equal texts are equal configurations. Empty: nobody configured.
  std::string text;
  // A serialized ConfigProto for the context; may be empty.
  std::string proto;
  // Environment variables that TensorFlow reads while it is being loaded.
  std::vector<std::pair<std::string, std::string>> environment;
  size_t async_threads = 4;
  size_t async_queue = 1024;
  // What one environment may hold before it warns.
  size_t warn_handles = 100000;
  size_t warn_bytes = size_t{4} << 30;

  // A copy of what is in force.
  static Configuration Current();
  // TFE_CONFIGURE_CONFLICT when another one is in force, TFE_CONFIGURE_LATE when the library is open.
  static Status Choose(Configuration configuration);
  // Ends the choice and sets the environment variables. Called before the library is opened.
  static void Seal();
};

}  // namespace tfe

#endif  // TFE_NODE_CONFIGURATION_H_
