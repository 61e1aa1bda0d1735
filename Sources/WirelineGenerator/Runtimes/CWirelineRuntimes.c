// SPDX-License-Identifier: Apache-2.0

#include "CWirelineRuntimes.h"

// #embed is new in C23; Clang has it in all modes, and says so.
#pragma clang diagnostic ignored "-Wc23-extensions"

#define RUNTIME(name) \
    struct wireline_runtime wireline_##name##_runtime(void) { \
        return (struct wireline_runtime){name##_bytes, sizeof name##_bytes}; \
    }

static const unsigned char java_bytes[] = {
#embed "Java/Runtime.java"
};
RUNTIME(java)

static const unsigned char csharp_bytes[] = {
#embed "CSharp/Runtime.cs"
};
RUNTIME(csharp)
