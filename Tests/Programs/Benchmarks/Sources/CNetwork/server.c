// SPDX-License-Identifier: Apache-2.0
//
// What all ratios are relative to. One buffer to read into and one to write from, for all connections: a connection has
// memory of its own only for a torn packet, or for replies that its peer does not take. One read and one write a wake-up.
#define _GNU_SOURCE
#include "bytes.h"
#include "listening.h"
#include "process.h"
#include "seal.h"
#include "websocket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { read_byte_count = 128 * 1024, packet_limit = 16 << 20, events_a_wait = 256 };

typedef struct {
    int socket;
    bool has_websocket, has_ended;   // it has been asked for one; that has been ended
    SSL *tls;        // NULL without TLS
    buffer torn;     // the beginning of a packet whose rest has not arrived
    buffer unsent;   // replies from `sent` on, that the peer has had no room for; nothing is read meanwhile
    size_t sent;
    uint64_t counted_packets, counted_bytes;
} connection;

static int poller;
static buffer input, output;
static buffer sealed_input, sealed_output;   // the same as it is on the wire, with TLS
static bool uses_tls, uses_websocket;
static network_fault fault;

static void set_bytes(buffer *self, const uint8_t *bytes, size_t count) {
    if (count == 0) {
        free(self->bytes);
        *self = (buffer){0};
        return;
    }
    make_room(self, count);
    memcpy(self->bytes, bytes, count);
    self->count = count;
}

static void reply_with_counts(connection *self) {
    uint8_t *reply = output.bytes + output.count;
    set_header(reply, header_byte_count + count_payload_byte_count, network_count_id);
    set_number(reply + header_byte_count, self->counted_packets);
    set_number(reply + header_byte_count + 8, self->counted_bytes);
    output.count += header_byte_count + count_payload_byte_count;
    self->counted_packets = self->counted_bytes = 0;
}

static void handle_packet(connection *self, uint16_t id, const uint8_t *payload, uint32_t byte_count) {
    if (id == network_counted_id) {
        self->counted_packets += 1;
        self->counted_bytes += byte_count;
        return;
    }
    make_room(&output, output.count + header_byte_count + count_payload_byte_count + byte_count);
    if (id == network_count_id) return reply_with_counts(self);
    uint8_t *reply = output.bytes + output.count;
    set_header(reply, header_byte_count + byte_count, id);
    memcpy(reply + header_byte_count, payload, byte_count);
    output.count += header_byte_count + byte_count;
}

// Handles what lies whole in the input. Returns how many bytes that is, -1 when a length is none.
static ssize_t handle_packets(connection *self) {
    const uint8_t *bytes = input.bytes;
    size_t left = input.count;
    while (left >= header_byte_count) {
        uint32_t length = length_at(bytes);
        if (length < header_byte_count || length > packet_limit) return -1;
        if (left < length) break;
        handle_packet(self, id_at(bytes), bytes + header_byte_count, length - header_byte_count);
        bytes += length;
        left -= length;
    }
    return bytes - input.bytes;
}

static ssize_t handle_messages(connection *self) {
    if (self->has_websocket) return websocket_reply(input.bytes, input.count, &output, &self->has_ended);
    // A client waits for the answer, so nothing stands after its request.
    ssize_t taken = websocket_answer(input.bytes, input.count, &output);
    self->has_websocket = taken > 0;
    return taken;
}

// Handles what lies whole in the input, and keeps the rest. False when something in it is wrong.
static bool handle_input(connection *self) {
    ssize_t taken = uses_websocket ? handle_messages(self) : handle_packets(self);
    if (taken < 0) return false;
    size_t left = input.count - (size_t)taken;
    if (left != 0 || self->torn.bytes != NULL) set_bytes(&self->torn, input.bytes + taken, left);
    return true;
}

static void wait_for(connection *self, uint32_t events) {
    struct epoll_event event = {.events = events, .data.ptr = self};
    epoll_ctl(poller, EPOLL_CTL_MOD, self->socket, &event);
}

static void end(connection *self) {
    if (self->tls != NULL) {
        sealed_output.count = 0;
        seal_end(self->tls, &sealed_output);
        send(self->socket, sealed_output.bytes, sealed_output.count, MSG_NOSIGNAL);
        openssl.SSL_free(self->tls);
    }
    close(self->socket);
    free(self->torn.bytes);
    free(self->unsent.bytes);
    free(self);
}

static size_t first_reply_byte_count(void) {
    websocket_frame frame;
    if (!uses_websocket) return length_at(output.bytes);
    websocket_read_header(output.bytes, output.count, &frame);
    return frame.header_byte_count + (size_t)frame.payload_byte_count;
}

// Spoils the second replies that leave, in their last packet's last byte or in their first packet.
static void spoil_output(void) {
    static int outputs;
    outputs += 1;
    if (outputs != 2) return;
    size_t first = first_reply_byte_count();
    switch (fault) {
        case network_no_fault: break;
        case network_changes_byte: output.bytes[output.count - 1] ^= 1; break;
        case network_drops_packet:
            output.count -= first;
            memmove(output.bytes, output.bytes + first, output.count);
            break;
        case network_repeats_packet:
            make_room(&output, output.count + first);
            memmove(output.bytes + first, output.bytes, output.count);
            output.count += first;
            break;
    }
}

// False when the connection is over.
static bool send_output(connection *self, const buffer *output) {
    if (output->count == 0) return true;
    ssize_t sent = send(self->socket, output->bytes, output->count, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) return false;
    size_t taken = sent < 0 ? 0 : (size_t)sent;
    if (taken == output->count) return true;
    set_bytes(&self->unsent, output->bytes + taken, output->count - taken);
    self->sent = 0;
    wait_for(self, EPOLLOUT);
    return true;
}

static bool send_unsent(connection *self) {
    ssize_t sent = send(self->socket, self->unsent.bytes + self->sent, self->unsent.count - self->sent, MSG_NOSIGNAL);
    if (sent < 0) return errno == EAGAIN;
    self->sent += (size_t)sent;
    if (self->sent < self->unsent.count) return true;
    set_bytes(&self->unsent, NULL, 0);
    wait_for(self, EPOLLIN);
    return true;
}

// Makes replies of what is in the input.
static bool reply(connection *self) {
    bool answers_request = uses_websocket && !self->has_websocket;
    output.count = 0;
    if (!handle_input(self)) return false;
    if (fault != network_no_fault && output.count != 0 && !answers_request) spoil_output();
    return true;
}

static bool receive_sealed(connection *self) {
    make_room(&sealed_input, read_byte_count);
    ssize_t received = recv(self->socket, sealed_input.bytes, read_byte_count, 0);
    if (received < 0) return errno == EAGAIN || errno == EINTR;
    if (received == 0) return false;
    sealed_output.count = 0;
    bool is_open = seal_open(self->tls, sealed_input.bytes, (size_t)received, &input, &sealed_output);
    if (!reply(self) || !seal_close(self->tls, &output, &sealed_output)) return false;
    return send_output(self, &sealed_output) && is_open;
}

static bool receive(connection *self) {
    input.count = self->torn.count;
    make_room(&input, input.count + read_byte_count);
    if (input.count != 0) memcpy(input.bytes, self->torn.bytes, input.count);
    if (self->tls != NULL) return receive_sealed(self);
    ssize_t received = recv(self->socket, input.bytes + input.count, read_byte_count, 0);
    if (received < 0) return errno == EAGAIN || errno == EINTR;
    if (received == 0) return false;
    input.count += (size_t)received;
    return reply(self) && send_output(self, &output) && !self->has_ended;
}

static void accept_all(int listener) {
    int one = 1, socket;
    while ((socket = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        connection *accepted = calloc(1, sizeof *accepted);
        if (accepted == NULL) abort();
        accepted->socket = socket;
        if (uses_tls) accepted->tls = seal_accept();
        setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = accepted};
        epoll_ctl(poller, EPOLL_CTL_ADD, socket, &event);
    }
}

static void end_at_once(int signal) {
    (void)signal;
    _exit(0);
}

static int serve(void) {
    signal(SIGTERM, end_at_once);
    poller = epoll_create1(EPOLL_CLOEXEC);
    int listener = listen_on_any_port();
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL}, events[events_a_wait];
    epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        int count = epoll_wait(poller, events, events_a_wait, -1);
        for (int index = 0; index < count; index += 1) {
            connection *ready = events[index].data.ptr;
            if (ready == NULL) {
                accept_all(listener);
            } else if (!(ready->unsent.bytes != NULL ? send_unsent(ready) : receive(ready))) {
                end(ready);
            }
        }
    }
}

int network_serve_epoll(network_fault its_fault, const char *certificate, const char *key) {
    network_failure failure = {0};
    fault = its_fault;
    uses_tls = certificate != NULL && key != NULL;
    if (uses_tls && !seal_set_up(certificate, key, &failure)) {
        fprintf(stderr, "%s\n", failure.text);
        return 1;
    }
    return serve();
}

int network_serve_websocket(network_fault its_fault) {
    fault = its_fault;
    uses_websocket = true;
    return serve();
}
