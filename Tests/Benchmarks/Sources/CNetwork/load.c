// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "load.h"
#include "bytes.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

int open_socket(const network_server *server, network_failure *failure) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(server->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct timeval stall = {.tv_sec = stall_milliseconds / 1000};
    int one = 1, connected = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connected < 0 || connect(connected, (struct sockaddr *)&address, sizeof address) != 0) {
        fail(failure, "cannot connect: %s", strerror(errno));
        if (connected >= 0) close(connected);
        return -1;
    }
    setsockopt(connected, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(connected, SOL_SOCKET, SO_RCVTIMEO, &stall, sizeof stall);
    setsockopt(connected, SOL_SOCKET, SO_SNDTIMEO, &stall, sizeof stall);
    return connected;
}

void make_nonblocking(int socket) { fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK); }

uint64_t next_random(uint64_t *state) {
    uint64_t value = *state += 0x9e3779b97f4a7c15;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
}

void fill_packets(uint8_t *stream, size_t count, size_t payload_byte_count, uint16_t id) {
    uint64_t random = 1;
    for (size_t index = 0; index < count; index += 1) {
        set_header(stream, (uint32_t)(header_byte_count + payload_byte_count), id);
        stream += header_byte_count;
        for (size_t left = payload_byte_count; left > 0; left -= 1) *stream++ = (uint8_t)next_random(&random);
    }
}

moment moment_now(const network_server *server) {
    return (moment){nanoseconds_now(), processor_nanoseconds(server->pid), thread_processor_nanoseconds()};
}

void add_cost(network_figures *figures, const network_server *server, moment since) {
    moment now = moment_now(server);
    figures->seconds = (double)(now.time - since.time) / 1e9;
    figures->server_nanoseconds = now.server - since.server;
    figures->load_nanoseconds = now.load - since.load;
    if (since.server == 0 || now.server < since.server) {
        fail(&figures->failure, "cannot read what the server costs in /proc/PID/task/*/schedstat");
    }
}

// --- One way

// False unless the server answers that it has counted so many packets.
static bool verify_counts(int socket, uint64_t packets, uint64_t payload_bytes, network_failure *failure) {
    uint8_t request[header_byte_count], reply[header_byte_count + count_payload_byte_count];
    set_header(request, sizeof request, network_count_id);
    if (send(socket, request, sizeof request, MSG_NOSIGNAL) != sizeof request ||
        recv(socket, reply, sizeof reply, MSG_WAITALL) != sizeof reply) {
        return fail(failure, "no answer to how many packets came: %s", strerror(errno));
    }
    uint64_t counted = number_at(reply + header_byte_count), counted_bytes = number_at(reply + header_byte_count + 8);
    if (length_at(reply) != sizeof reply || id_at(reply) != network_count_id || counted != packets ||
        counted_bytes != payload_bytes) {
        return fail(
            failure, "sent %llu packets with %llu bytes, the server says %llu with %llu", (unsigned long long)packets,
            (unsigned long long)payload_bytes, (unsigned long long)counted, (unsigned long long)counted_bytes);
    }
    return true;
}

static bool send_all(int socket, const uint8_t *bytes, size_t count, network_failure *failure) {
    while (count > 0) {
        ssize_t sent = send(socket, bytes, count, MSG_NOSIGNAL);
        if (sent < 0) return fail(failure, "sending failed: %s", strerror(errno));
        bytes += sent;
        count -= (size_t)sent;
    }
    return true;
}

network_figures network_ingest(const network_server *server, size_t payload_byte_count, double seconds) {
    network_figures figures = {0};
    size_t packet_byte_count = header_byte_count + payload_byte_count, packets = (1 << 20) / packet_byte_count;
    uint8_t *block = malloc(packets * packet_byte_count);
    int socket = block == NULL ? -1 : open_socket(server, &figures.failure);
    if (socket >= 0) {
        fill_packets(block, packets, payload_byte_count, network_counted_id);
        // The first block and its answer are for warming up.
        bool is_right = send_all(socket, block, packets * packet_byte_count, &figures.failure) &&
            verify_counts(socket, packets, packets * payload_byte_count, &figures.failure);
        moment start = moment_now(server);
        while (is_right && (double)(nanoseconds_now() - start.time) < seconds * 1e9) {
            is_right = send_all(socket, block, packets * packet_byte_count, &figures.failure);
            figures.packets += packets;
        }
        if (is_right) verify_counts(socket, figures.packets, figures.packets * payload_byte_count, &figures.failure);
        add_cost(&figures, server, start);
        close(socket);
    }
    free(block);
    return figures;
}

// --- Idle

// A connection that has echoed one packet; -1, and what is wrong.
static int open_used_socket(const network_server *server, network_failure *failure) {
    uint8_t request[header_byte_count + 17], reply[sizeof request];
    // Reset when closed: thousands of them would use up the ports otherwise.
    struct linger reset = {.l_onoff = 1};
    int socket = open_socket(server, failure);
    if (socket < 0) return -1;
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    fill_packets(request, 1, sizeof request - header_byte_count, echoed_id);
    if (!send_all(socket, request, sizeof request, failure) ||
        recv(socket, reply, sizeof reply, MSG_WAITALL) != sizeof reply || memcmp(request, reply, sizeof reply) != 0) {
        fail(failure, "a connection does not echo its packet");
        close(socket);
        return -1;
    }
    return socket;
}

network_figures network_idle(const network_server *server, int connections) {
    network_figures figures = {0};
    int *sockets = calloc((size_t)connections, sizeof *sockets), count = 0;
    uint64_t first = 0;
    while (sockets != NULL && count < connections) {
        sockets[count] = open_used_socket(server, &figures.failure);
        if (sockets[count] < 0) break;
        count += 1;
        if (count == 1) first = resident_bytes(server->pid);
    }
    if (count == connections) {
        uint64_t all = resident_bytes(server->pid);
        if (first == 0 || all == 0) fail(&figures.failure, "cannot read the server's /proc/PID/smaps_rollup");
        figures.packets = (uint64_t)connections;
        figures.bytes_per_connection = ((double)all - (double)first) / (double)(connections - 1);
    }
    while (count > 0) close(sockets[count -= 1]);
    free(sockets);
    return figures;
}
