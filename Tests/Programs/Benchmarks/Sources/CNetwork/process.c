// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { start_milliseconds = 120000, stop_milliseconds = 120000 };

bool fail(network_failure *failure, const char *format, ...) {
    if (failure->text[0] != 0) return false;
    va_list values;
    va_start(values, format);
    vsnprintf(failure->text, sizeof failure->text, format, values);
    va_end(values);
    return false;
}

bool network_processors(int *server, int *load) {
    *server = *load = -1;
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2) return false;
    for (int processor = 0; *load < 0; processor += 1) {
        if (!CPU_ISSET(processor, &allowed)) continue;
        *(*server < 0 ? server : load) = processor;
    }
    return true;
}

void network_stay_on(int processor) {
    if (processor < 0) return;
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(processor, &only);
    sched_setaffinity(0, sizeof only, &only);
}

// --- Starting and stopping

// Ten thousand connections need as many descriptors, here and in the programs that inherit the limit.
int network_raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur > 1 << 30 ? 1 << 30 : (int)limit.rlim_cur;
}

static void become(const char *const *arguments, int processor, int output) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    network_stay_on(processor);
    dup2(output, STDOUT_FILENO);
    execvp(arguments[0], (char *const *)arguments);
    _exit(127);
}

// The port in the line `listening on HOST:PORT`; 0 when no such line comes.
static uint16_t read_port(int output) {
    char line[256];
    size_t count = 0;
    while (count + 1 < sizeof line) {
        struct pollfd ready = {.fd = output, .events = POLLIN};
        if (poll(&ready, 1, start_milliseconds) != 1 || read(output, line + count, 1) != 1) return 0;
        if (line[count] != '\n') {
            count += 1;
            continue;
        }
        line[count] = 0;
        count = 0;
        const char *colon = strrchr(line, ':');
        if (strncmp(line, "listening on ", 13) == 0 && colon != NULL) return (uint16_t)atoi(colon + 1);
    }
    return 0;
}

bool network_start(const char *const *arguments, int processor, network_server *server, network_failure *failure) {
    int ends[2];
    network_raise_descriptor_limit();
    if (pipe2(ends, O_CLOEXEC) != 0) return fail(failure, "pipe: %s", strerror(errno));
    pid_t pid = fork();
    if (pid == 0) become(arguments, processor, ends[1]);
    close(ends[1]);
    server->pid = pid;
    server->output = ends[0];
    if (pid < 0) return fail(failure, "fork: %s", strerror(errno));
    server->port = read_port(ends[0]);
    if (server->port != 0) return true;
    network_failure ignored = {0};
    network_stop(server, &ignored);
    return fail(failure, "`%s` does not say that it is `listening on HOST:PORT`", arguments[0]);
}

bool network_stop(const network_server *server, network_failure *failure) {
    int status = 0;
    kill(server->pid, SIGTERM);
    for (int waited = 0; waitpid(server->pid, &status, WNOHANG) == 0; waited += 1) {
        if (waited == stop_milliseconds) {
            kill(server->pid, SIGKILL);
            waitpid(server->pid, &status, 0);
            fail(failure, "the server does not end on SIGTERM");
            break;
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    close(server->output);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
    if (WIFEXITED(status)) return fail(failure, "the server ended with %d", WEXITSTATUS(status));
    return fail(failure, "the server was ended by signal %d", WTERMSIG(status));
}

// --- What it costs

static uint64_t thread_nanoseconds(pid_t pid, const char *thread) {
    char path[320];
    unsigned long long nanoseconds = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", pid, thread);
    FILE *file = fopen(path, "re");
    if (file == NULL) return 0;
    if (fscanf(file, "%llu", &nanoseconds) != 1) nanoseconds = 0;
    fclose(file);
    return nanoseconds;
}

uint64_t processor_nanoseconds(pid_t pid) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *threads = opendir(path);
    if (threads == NULL) return 0;
    uint64_t sum = 0;
    for (struct dirent *entry; (entry = readdir(threads)) != NULL;) {
        if (entry->d_name[0] != '.') sum += thread_nanoseconds(pid, entry->d_name);
    }
    closedir(threads);
    return sum;
}

// Of smaps_rollup, for the counters in statm lag behind.
uint64_t resident_bytes(pid_t pid) {
    char line[256];
    unsigned long long kibibytes = 0;
    snprintf(line, sizeof line, "/proc/%d/smaps_rollup", pid);
    FILE *file = fopen(line, "re");
    if (file == NULL) return 0;
    while (kibibytes == 0 && fgets(line, sizeof line, file) != NULL) sscanf(line, "Rss: %llu kB", &kibibytes);
    fclose(file);
    return kibibytes * 1024;
}

static uint64_t nanoseconds_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t nanoseconds_now(void) { return nanoseconds_of(CLOCK_MONOTONIC); }
uint64_t thread_processor_nanoseconds(void) { return nanoseconds_of(CLOCK_THREAD_CPUTIME_ID); }
