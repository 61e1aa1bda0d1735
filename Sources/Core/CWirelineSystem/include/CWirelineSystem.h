// SPDX-License-Identifier: Apache-2.0

// Functions that Swift's own modules of the C library leave out.

#ifndef WIRELINE_SYSTEM_H
#define WIRELINE_SYSTEM_H

#include <stdint.h>

#if defined(__linux__)
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>

// Glibc declares it only with _GNU_SOURCE, which would clash with the fd_set of Swift's Glibc module.
struct sockaddr;
int accept4(int descriptor, struct sockaddr *address, unsigned int *byteCount, int flags);

// The number of bytes in a TCP socket that its peer has not acknowledged (SIOCOUTQ, tcp(7)); negative if unknown.
static inline int wireline_unacknowledged_byte_count(int descriptor) {
    int count = 0;
    return ioctl(descriptor, TIOCOUTQ, &count) == 0 ? count : -1;
}

// The number of unread bytes in a socket's receive queue (SIOCINQ, tcp(7)); negative if it is unknown.
static inline int wireline_unread_byte_count(int descriptor) {
    int count = 0;
    return ioctl(descriptor, FIONREAD, &count) == 0 ? count : -1;
}

// The number of processor cores that the process may run on (sched_getaffinity(2)); negative if it is unknown.
int wireline_usable_core_count(void);
#endif

// Gives memory that was freed back to the system, where the C library keeps it. It takes about 0.14 ms for a mebibyte, and
// threads that allocate may have to wait for it.
void wireline_return_memory(void);

// The event loop of the current thread, or NULL. Every send reads it, so it is one load and no call.
extern _Thread_local void *wireline_thread_loop;

static inline void *wireline_current_loop(void) { return wireline_thread_loop; }
static inline void wireline_set_current_loop(void *loop) { wireline_thread_loop = loop; }

// Makes a pipe that programs started later do not inherit. `ends` has room for two descriptors, the reading end first.
int wireline_make_signal_pipe(void *ends);

// From now on, SIGTERM and SIGINT write their number to a descriptor, as one byte; an ignored signal stays ignored. The
// first one restores the former effect of both, so the second one has that effect.
void wireline_catch_end_signals(int descriptor);

// Lets the current thread receive both signals. A process inherits blocked signals from the one that has started it.
void wireline_unblock_end_signals(void);

// Restores the former effect of both signals. Has no effect if a signal has done so.
void wireline_release_end_signals(void);

// From now on, SIGHUP writes a byte to a descriptor, which no longer blocks. If it has no room, enough signals wait there.
void wireline_catch_hang_ups(int descriptor);

// Lets the current thread receive SIGHUP.
void wireline_unblock_hang_ups(void);

#endif
