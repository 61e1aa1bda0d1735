// SPDX-License-Identifier: Apache-2.0

// The runtimes of generated code, which are files of their languages, as bytes inside the program.

#ifndef WIRELINE_RUNTIMES_H
#define WIRELINE_RUNTIMES_H

#include <stddef.h>

// The bytes of a file. They are constants of the program.
struct wireline_file {
    const unsigned char *bytes;
    size_t count;
};

struct wireline_file wireline_java_runtime(void);
struct wireline_file wireline_csharp_runtime(void);
struct wireline_file wireline_go_runtime(void);
struct wireline_file wireline_cpp_runtime(void);
struct wireline_file wireline_rust_runtime(void);
struct wireline_file wireline_erlang_runtime(void);
struct wireline_file wireline_lua_runtime(void);
struct wireline_file wireline_python_runtime(void);
struct wireline_file wireline_typescript_runtime(void);
struct wireline_file wireline_wireshark_runtime(void);

// The programs that ask generated code on behalf of `wire conform`.
struct wireline_file wireline_java_adapter(void);
struct wireline_file wireline_csharp_adapter(void);
struct wireline_file wireline_go_adapter(void);
struct wireline_file wireline_cpp_adapter(void);
struct wireline_file wireline_rust_adapter(void);
struct wireline_file wireline_erlang_adapter(void);
struct wireline_file wireline_lua_adapter(void);
struct wireline_file wireline_python_adapter(void);
struct wireline_file wireline_typescript_adapter(void);

// The scripts and the style of a page of documentation.
struct wireline_file wireline_page_tool(void);
struct wireline_file wireline_page_search(void);
struct wireline_file wireline_page_style(void);

#endif
