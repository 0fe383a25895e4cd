# The courtesy build for those who prefer node-gyp: `node-gyp rebuild`, output in build/Release/.
# CMakeLists.txt is the main build; test/repository keeps the two source lists equal.
{
  "targets": [
    {
      "target_name": "tfe_node",
      "sources": [
        "native/addon.cc",
        "native/arguments.cc",
        "native/configuration.cc",
        "native/context.cc",
        "native/dtype.cc",
        "native/env.cc",
        "native/exchange.cc",
        "native/exports_async.cc",
        "native/exports_context.cc",
        "native/exports_library.cc",
        "native/exports_op.cc",
        "native/exports_tensor.cc",
        "native/handle_table.cc",
        "native/lend.cc",
        "native/library.cc",
        "native/op.cc",
        "native/status.cc",
        "native/string_tensor.cc",
        "native/tensor.cc",
        "native/worker_pool.cc",
      ],
      "include_dirs": ["native"],
      # This target brings node-addon-api's include folder and its *_CPP_EXCEPTIONS and *_EXCEPTIONS_ALL defines.
      "dependencies": [
        "<!(node -p \"require('node-addon-api').targets\"):node_addon_api_except_all",
      ],
      "defines": [
        "NAPI_VERSION=9",
        "NODE_ADDON_API_DISABLE_DEPRECATED",
        "NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS",
      ],
      "cflags": ["-fvisibility=hidden", "-Wall", "-Wextra"],
      "cflags_cc!": ["-fno-rtti", "-std=gnu++17", "-std=gnu++20"],
      "cflags_cc": ["-std=c++17", "-fvisibility-inlines-hidden"],
      "conditions": [
        ["OS=='linux'", {"ldflags": ["-Wl,-z,nodelete"], "libraries": ["-ldl"]}],
      ],
      "xcode_settings": {
        "CLANG_CXX_LANGUAGE_STANDARD": "c++17",
        "GCC_SYMBOLS_PRIVATE_EXTERN": "YES",
        "MACOSX_DEPLOYMENT_TARGET": "11.0",
      },
      "msvs_settings": {"VCCLCompilerTool": {"AdditionalOptions": ["/std:c++17"]}},
    }
  ]
}
