// SPDX-License-Identifier: Apache-2.0

// libkqueue asks a socket that has failed for its error, to tell of it in an event. On Linux that takes the error away:
// whoever reads or asks next finds an end or a connection where there was a reset or a refusal. On Darwin the event has
// the error, and the socket keeps it. So libkqueue is told that there is none.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int getsockopt(int descriptor, int level, int option, void *value, socklen_t *byteCount) {
    Dl_info caller;
    if (level == SOL_SOCKET && option == SO_ERROR && dladdr(__builtin_return_address(0), &caller) != 0
        && strstr(caller.dli_fname, "libkqueue") != NULL) {
        memset(value, 0, *byteCount);
        return 0;
    }
    return (int)syscall(SYS_getsockopt, descriptor, level, option, value, byteCount);
}
