// The TensorFlow library of this process: opened once, checked step by step, never closed.
// Owner: the process. Thread: any (one mutex guards opening; afterwards everything is read-only).
#ifndef TFE_NODE_LIBRARY_H_
#define TFE_NODE_LIBRARY_H_

#include <string>
#include <vector>

#include "abi.h"
#include "status.h"

namespace tfe {

struct LibraryRequest {
  std::string cc_path;                 // absolute
  std::string framework_path;          // absolute
  std::string version;                 // what TF_Version() must answer
  std::vector<std::string> cpu_flags;  // without which the library kills the process
};

class Library {
 public:
  // Opens the pinned images or says which step failed. A second call with the same images answers the
  // same object; with others it is refused, because two TensorFlows in one process corrupt each other.
  static Result<const Library*> Open(const LibraryRequest& request);

  // The opened library, or nullptr before the first successful Open. Any thread.
  static const Library* Current();

  const Api& api() const { return api_; }
  const std::string& version() const { return version_; }
  const std::string& cc_path() const { return cc_path_; }
  const std::string& framework_path() const { return framework_path_; }
  // True when the images were mapped before we came (the same files, by RTLD_NOLOAD).
  bool reused() const { return reused_; }

 private:
  Library() = default;
  Status Load(const LibraryRequest& request);

  Api api_;
  std::string version_;
  std::string cc_path_;
  std::string framework_path_;
  bool reused_ = false;
};

// The function table of the opened library. Only for code that holds a TensorFlow object, because such
// an object exists only after Library::Open.
const Api& TheApi();

}  // namespace tfe

#endif  // TFE_NODE_LIBRARY_H_
