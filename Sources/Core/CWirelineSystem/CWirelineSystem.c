// SPDX-License-Identifier: Apache-2.0

#include "CWirelineSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

_Thread_local void *wireline_thread_loop;

// MARK: Processors

#if defined(__linux__)
// Declared only with _GNU_SOURCE, as accept4 is.
int sched_getaffinity(pid_t process, size_t byteCount, void *cores);

int wireline_usable_core_count(void) {
    // Room for 8,192 cores; the kernel refuses a set that is too small for the machine.
    unsigned long cores[8192 / (8 * sizeof(unsigned long))] = {0};
    if (sched_getaffinity(0, sizeof cores, cores) < 0) return -1;
    int count = 0;
    for (size_t index = 0; index < sizeof cores / sizeof *cores; index++) count += __builtin_popcountl(cores[index]);
    return count;
}
#endif

// MARK: Memory

#if defined(__GLIBC__)
#include <malloc.h>

void wireline_return_memory(void) { malloc_trim(0); }
#elif defined(__APPLE__)
#include <malloc/malloc.h>

void wireline_return_memory(void) { malloc_zone_pressure_relief(NULL, 0); }
#else
// Musl gives back what it can by itself.
void wireline_return_memory(void) {}
#endif

// MARK: Signals

static const int endSignals[] = {SIGTERM, SIGINT};
enum { endSignalCount = 2 };

static struct sigaction formerActions[endSignalCount];
static volatile sig_atomic_t isCatching;
static volatile int signalDescriptor = -1;

// Only calls that signal-safety(7) allows: it runs inside the handler, too.
void wireline_release_end_signals(void) {
    if (!isCatching) return;
    isCatching = 0;
    for (int index = 0; index < endSignalCount; index++) sigaction(endSignals[index], &formerActions[index], NULL);
}

static void endSignalCame(int number) {
    int code = errno;
    wireline_release_end_signals();
    unsigned char byte = (unsigned char)number;
    // The pipe has room for thousands of bytes, and is read all the time.
    while (write(signalDescriptor, &byte, 1) < 0 && errno == EINTR) {}
    errno = code;
}

void wireline_catch_end_signals(int descriptor) {
    signalDescriptor = descriptor;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = endSignalCame;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (int index = 0; index < endSignalCount; index++) {
        sigaddset(&action.sa_mask, endSignals[index]);
        sigaction(endSignals[index], NULL, &formerActions[index]);
    }
    isCatching = 1;
    for (int index = 0; index < endSignalCount; index++) {
        int isIgnored = !(formerActions[index].sa_flags & SA_SIGINFO) && formerActions[index].sa_handler == SIG_IGN;
        if (!isIgnored) sigaction(endSignals[index], &action, NULL);
    }
}

void wireline_unblock_end_signals(void) {
    sigset_t signals;
    sigemptyset(&signals);
    for (int index = 0; index < endSignalCount; index++) sigaddset(&signals, endSignals[index]);
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}

static volatile int hangUpDescriptor = -1;

static void hangUpCame(int number) {
    int code = errno;
    unsigned char byte = (unsigned char)number;
    while (write(hangUpDescriptor, &byte, 1) < 0 && errno == EINTR) {}
    errno = code;
}

void wireline_catch_hang_ups(int descriptor) {
    hangUpDescriptor = descriptor;
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = hangUpCame;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGHUP, &action, NULL);
}

void wireline_unblock_hang_ups(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}

int wireline_make_signal_pipe(void *ends) {
    int *descriptors = ends;
    if (pipe(descriptors) != 0) return -1;
    fcntl(descriptors[0], F_SETFD, FD_CLOEXEC);
    fcntl(descriptors[1], F_SETFD, FD_CLOEXEC);
    return 0;
}
