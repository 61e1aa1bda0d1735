// SPDX-License-Identifier: Apache-2.0

// The runtimes of generated code, which are files of their languages, as bytes inside the program.

#ifndef WIRELINE_RUNTIMES_H
#define WIRELINE_RUNTIMES_H

#include <stddef.h>

// The bytes of a file. They are constants of the program.
struct wireline_runtime {
    const unsigned char *bytes;
    size_t count;
};

// Java/Runtime.java
struct wireline_runtime wireline_java_runtime(void);

// CSharp/Runtime.cs
struct wireline_runtime wireline_csharp_runtime(void);

#endif
