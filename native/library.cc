#include "library.h"

#include <dlfcn.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <mutex>

#if defined(__APPLE__)
#include <mach-o/dyld.h>
#else
#include <elf.h>
#include <link.h>
#endif

namespace tfe {
namespace {

std::mutex g_mutex;
// Written under g_mutex, read without it. Leaked on purpose: unloading TensorFlow crashes, and its
// threads may outlive every destructor here.
std::atomic<const Library*> g_library{nullptr};

std::string RealPath(const std::string& path) {
  char buffer[PATH_MAX];
  return realpath(path.c_str(), buffer) != nullptr ? std::string(buffer) : std::string();
}

std::string BaseName(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string DlError() {
  const char* text = dlerror();
  return text != nullptr ? text : "no reason given";
}

// Every image mapped in this process whose file name says that it is a TensorFlow.
std::vector<std::string> MappedTensorFlows() {
  std::vector<std::string> found;
  const auto consider = [&found](const char* name) {
    if (name == nullptr) return;
    const std::string base = BaseName(name);
    if (base.rfind("libtensorflow", 0) == 0 || base.rfind("lib_pywrap_tensorflow", 0) == 0 ||
        base.rfind("_pywrap_tensorflow", 0) == 0) {
      found.emplace_back(name);
    }
  };
#if defined(__APPLE__)
  for (uint32_t i = 0; i < _dyld_image_count(); ++i) consider(_dyld_get_image_name(i));
#else
  struct Visitor {
    static int Visit(dl_phdr_info* info, size_t, void* data) {
      (*static_cast<decltype(consider)*>(data))(info->dlpi_name);
      return 0;
    }
  };
  auto visitor = consider;
  dl_iterate_phdr(&Visitor::Visit, &visitor);
#endif
  return found;
}

// Whether this CPU has the named instruction set. A name that this build cannot test counts as
// absent: failing closed is an error message, guessing is a SIGILL.
bool CpuHas(const std::string& flag) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (flag == "avx") return __builtin_cpu_supports("avx") != 0;
  if (flag == "avx2") return __builtin_cpu_supports("avx2") != 0;
  if (flag == "fma") return __builtin_cpu_supports("fma") != 0;
#else
  (void)flag;
#endif
  return false;
}

// Whether the file ends before the image in it does. glibc would map it all the same, and the process
// would die of SIGBUS. What is no image at all is dlopen's to name.
bool IsTruncated(const std::string& path) {
#if defined(__APPLE__)
  (void)path;  // dyld looks by itself
  return false;
#else
  std::ifstream file(path, std::ios::binary);
  const auto read = [&file](auto* into) {
    return static_cast<bool>(file.read(reinterpret_cast<char*>(into), sizeof(*into)));
  };
  ElfW(Ehdr) header;
  if (!read(&header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
  if (header.e_phentsize != sizeof(ElfW(Phdr))) return false;
  file.seekg(0, std::ios::end);
  const uint64_t size = static_cast<uint64_t>(file.tellg());
  file.seekg(static_cast<std::streamoff>(header.e_phoff));
  for (int i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment;
    if (!read(&segment)) return true;
    if (segment.p_type != PT_LOAD) continue;
    if (segment.p_filesz > size || segment.p_offset > size - segment.p_filesz) return true;
  }
  return false;
#endif
}

struct Segment {
  uintptr_t begin;
  uintptr_t end;
};

struct Image {
  void* handle = nullptr;
  std::string path;  // canonical
  std::vector<Segment> segments;

  bool Holds(const void* address) const {
    const auto at = reinterpret_cast<uintptr_t>(address);
    for (const Segment& segment : segments) {
      if (segment.begin <= at && at < segment.end) return true;
    }
    return false;
  }
};

// Where the image lies in memory; nothing where the system cannot say.
std::vector<Segment> SegmentsOf(void* handle) {
#if defined(__APPLE__)
  (void)handle;
  return {};
#else
  struct Visitor {
    uintptr_t base;
    std::vector<Segment> segments;
    static int Visit(dl_phdr_info* info, size_t, void* data) {
      Visitor& visitor = *static_cast<Visitor*>(data);
      if (info->dlpi_addr != visitor.base) return 0;
      for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr) & header = info->dlpi_phdr[i];
        if (header.p_type != PT_LOAD) continue;
        const uintptr_t begin = visitor.base + header.p_vaddr;
        visitor.segments.push_back({begin, begin + header.p_memsz});
      }
      return 1;
    }
  };
  const link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return {};
  Visitor visitor{map->l_addr, {}};
  dl_iterate_phdr(&Visitor::Visit, &visitor);
  return std::move(visitor.segments);
#endif
}

Result<Image> OpenImage(const std::string& path, bool* reused) {
  Image image;
  image.path = RealPath(path);
  if (image.path.empty()) {
    return Failure{"TFE_LIBRARY_OPEN_FAILED", {{"path", path}, {"reason", std::strerror(errno)}}};
  }
  if (IsTruncated(image.path)) {
    return Failure{"TFE_LIBRARY_OPEN_FAILED",
                   {{"path", image.path}, {"reason", "the file is truncated"}}};
  }
  // NODELETE: the image must outlive every handle to it. LOCAL: Node's own OpenSSL and zlib must not
  // be replaced by the library's. No DEEPBIND: it detaches std::cerr and environ (PrintV2 crashes).
  constexpr int kFlags = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
  image.handle = dlopen(image.path.c_str(), kFlags | RTLD_NOLOAD);
  *reused = image.handle != nullptr;
  if (image.handle == nullptr) image.handle = dlopen(image.path.c_str(), kFlags);
  if (image.handle == nullptr) {
    return Failure{"TFE_LIBRARY_OPEN_FAILED", {{"path", image.path}, {"reason", DlError()}}};
  }
  image.segments = SegmentsOf(image.handle);
  return image;
}

// dlsym on one image also searches what that image depends on, so it is checked where the answer lies. dladdr comes last: it
// walks the image's whole symbol table, 1.5 ms a call in TensorFlow's.
Result<void*> Resolve(const Image& image, const char* name) {
  dlerror();
  void* address = dlsym(image.handle, name);
  if (address == nullptr) {
    return Failure{"TFE_SYMBOL_MISSING", {{"symbol", name}, {"path", image.path}}};
  }
  if (image.Holds(address)) return address;
  Dl_info info;
  const bool known = dladdr(address, &info) != 0 && info.dli_fname != nullptr;
  const std::string owner = known ? RealPath(info.dli_fname) : std::string("an unknown image");
  if (owner != image.path) {
    return Failure{"TFE_SYMBOL_WRONG_IMAGE",
                   {{"symbol", name}, {"expected", image.path}, {"found", owner}}};
  }
  return address;
}

Failure WrongVersion(const std::string& path, const std::string& expected,
                     const std::string& found) {
  return Failure{"TFE_LIBRARY_VERSION", {{"path", path}, {"expected", expected}, {"found", found}}};
}

}  // namespace

Result<const Library*> Library::Open(const LibraryRequest& request) {
  const std::lock_guard<std::mutex> lock(g_mutex);
  if (const Library* opened = Current(); opened != nullptr) {
    if (RealPath(request.cc_path) != opened->cc_path_ ||
        RealPath(request.framework_path) != opened->framework_path_) {
      return Failure{"TFE_LIBRARY_CONFLICT",
                     {{"mapped", opened->cc_path_}, {"wanted", request.cc_path}}};
    }
    if (request.version != opened->version_) {
      return WrongVersion(opened->cc_path_, request.version, opened->version_);
    }
    return opened;
  }
  std::unique_ptr<Library> library(new Library());
  Status loaded = library->Load(request);
  if (!loaded.ok()) return std::move(loaded.failure());
  g_library.store(library.release(), std::memory_order_release);
  return Current();
}

const Library* Library::Current() { return g_library.load(std::memory_order_acquire); }

const Api& TheApi() { return Library::Current()->api(); }

Status Library::Load(const LibraryRequest& request) {
  for (const std::string& flag : request.cpu_flags) {
    if (!CpuHas(flag)) return Failure{"TFE_CPU_UNSUPPORTED", {{"flag", flag}}};
  }

  const std::string wanted_cc = RealPath(request.cc_path);
  const std::string wanted_framework = RealPath(request.framework_path);
  for (const std::string& mapped : MappedTensorFlows()) {
    const std::string real = RealPath(mapped);
    if (real != wanted_cc && real != wanted_framework) {
      return Failure{"TFE_LIBRARY_CONFLICT", {{"mapped", mapped}, {"wanted", request.cc_path}}};
    }
  }

  bool framework_reused = false;
  bool cc_reused = false;
  // The framework first: cc depends on it by name and then binds to the one that is mapped.
  Result<Image> framework = OpenImage(request.framework_path, &framework_reused);
  if (!framework.ok()) return std::move(framework.failure());
  Result<Image> cc = OpenImage(request.cc_path, &cc_reused);
  if (!cc.ok()) return std::move(cc.failure());

  // The version before the other symbols: another TensorFlow mostly lacks some of them, and "wrong
  // version" says more than "symbol missing".
  Result<void*> version_symbol = Resolve(cc.value(), "TF_Version");
  if (!version_symbol.ok()) return std::move(version_symbol.failure());
  const char* version = reinterpret_cast<const char* (*)()>(version_symbol.value())();
  if (version == nullptr || request.version != version) {
    return WrongVersion(cc.value().path, request.version, version != nullptr ? version : "nothing");
  }

#define TFE_NODE_RESOLVE(owner, name, result, parameters)                           \
  {                                                                                 \
    Result<void*> symbol = Resolve(k##owner(cc.value(), framework.value()), #name); \
    if (!symbol.ok()) return std::move(symbol.failure());                           \
    api_.name = reinterpret_cast<result(*) parameters>(symbol.value());             \
  }
  const auto kCc = [](const Image& cc_image, const Image&) -> const Image& { return cc_image; };
  const auto kFramework = [](const Image&, const Image& framework_image) -> const Image& {
    return framework_image;
  };
  TFE_NODE_SYMBOLS(TFE_NODE_RESOLVE)
#undef TFE_NODE_RESOLVE

  version_ = version;
  cc_path_ = cc.value().path;
  framework_path_ = framework.value().path;
  reused_ = framework_reused && cc_reused;
  return Done{};
}

}  // namespace tfe
