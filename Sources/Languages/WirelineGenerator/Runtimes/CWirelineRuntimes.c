// SPDX-License-Identifier: Apache-2.0

#include "CWirelineRuntimes.h"

// #embed is new in C23; Clang has it in all modes, and says so.
#pragma clang diagnostic ignored "-Wc23-extensions"

#define EMBEDDED(name) \
    struct wireline_file wireline_##name(void) { return (struct wireline_file){name##_bytes, sizeof name##_bytes}; }

static const unsigned char java_runtime_bytes[] = {
#embed "Java/Runtime.java"
};
EMBEDDED(java_runtime)

static const unsigned char csharp_runtime_bytes[] = {
#embed "CSharp/Runtime.cs"
};
EMBEDDED(csharp_runtime)

static const unsigned char go_runtime_bytes[] = {
#embed "Go/runtime.go"
};
EMBEDDED(go_runtime)

static const unsigned char cpp_runtime_bytes[] = {
#embed "Cpp/runtime.hpp"
};
EMBEDDED(cpp_runtime)

static const unsigned char rust_runtime_bytes[] = {
#embed "Rust/runtime.rs"
};
EMBEDDED(rust_runtime)

static const unsigned char erlang_runtime_bytes[] = {
#embed "Erlang/runtime.erl"
};
EMBEDDED(erlang_runtime)

static const unsigned char lua_runtime_bytes[] = {
#embed "Lua/runtime.lua"
};
EMBEDDED(lua_runtime)

static const unsigned char python_runtime_bytes[] = {
#embed "Python/runtime.py"
};
EMBEDDED(python_runtime)

static const unsigned char typescript_runtime_bytes[] = {
#embed "TypeScript/runtime.ts"
};
EMBEDDED(typescript_runtime)

static const unsigned char wireshark_runtime_bytes[] = {
#embed "Wireshark/runtime.lua"
};
EMBEDDED(wireshark_runtime)

static const unsigned char java_adapter_bytes[] = {
#embed "Java/Adapter.java"
};
EMBEDDED(java_adapter)

static const unsigned char csharp_adapter_bytes[] = {
#embed "CSharp/Adapter.cs"
};
EMBEDDED(csharp_adapter)

static const unsigned char go_adapter_bytes[] = {
#embed "Go/adapter.go"
};
EMBEDDED(go_adapter)

static const unsigned char cpp_adapter_bytes[] = {
#embed "Cpp/adapter.cpp"
};
EMBEDDED(cpp_adapter)

static const unsigned char rust_adapter_bytes[] = {
#embed "Rust/adapter.rs"
};
EMBEDDED(rust_adapter)

static const unsigned char erlang_adapter_bytes[] = {
#embed "Erlang/adapter.erl"
};
EMBEDDED(erlang_adapter)

static const unsigned char lua_adapter_bytes[] = {
#embed "Lua/adapter.lua"
};
EMBEDDED(lua_adapter)

static const unsigned char python_adapter_bytes[] = {
#embed "Python/adapter.py"
};
EMBEDDED(python_adapter)

static const unsigned char typescript_adapter_bytes[] = {
#embed "TypeScript/adapter.mjs"
};
EMBEDDED(typescript_adapter)

static const unsigned char page_tool_bytes[] = {
#embed "HTML/tool.mjs"
};
EMBEDDED(page_tool)

static const unsigned char page_search_bytes[] = {
#embed "HTML/search.js"
};
EMBEDDED(page_search)

static const unsigned char page_style_bytes[] = {
#embed "HTML/style.css"
};
EMBEDDED(page_style)
