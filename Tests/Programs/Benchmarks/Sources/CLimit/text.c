// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLimit.h"
#include "utf8.h"

#include <dlfcn.h>
#include <stdio.h>

bool limit_is_text(const char *text, size_t byte_count) { return is_utf8((const uint8_t *)text, byte_count); }

limit_text_check limit_simdjson(void) {
    static limit_text_check found;
    // The number grows with simdjson's releases: 3.0, that of Debian 12, has 14.
    for (int number = 99; number >= 14 && found == NULL; number--) {
        char name[32];
        snprintf(name, sizeof name, "libsimdjson.so.%d", number);
        void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        // bool simdjson::validate_utf8(const char *, size_t), as C++ calls it where size_t is an unsigned long.
        if (library != NULL) found = (limit_text_check)dlsym(library, "_ZN8simdjson13validate_utf8EPKcm");
    }
    return found;
}
