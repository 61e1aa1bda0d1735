// SPDX-License-Identifier: Apache-2.0
#ifndef NETWORK_PROCESS_H
#define NETWORK_PROCESS_H

#include "CNetwork.h"

// Says what is wrong, unless something was said before. Returns false.
bool fail(network_failure *failure, const char *format, ...) __attribute__((format(printf, 2, 3)));

// What all threads of a process have had of the processors; 0 when it is gone.
uint64_t processor_nanoseconds(pid_t pid);

uint64_t resident_bytes(pid_t pid);

uint64_t nanoseconds_now(void);
uint64_t thread_processor_nanoseconds(void);

#endif
