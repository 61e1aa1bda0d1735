// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "load.h"
#include "bytes.h"
#include "channel.h"

#include <stdlib.h>
#include <string.h>

int stall_milliseconds = 120000;

void network_wait_at_most(int seconds) { stall_milliseconds = seconds * 1000; }

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
        for (size_t left = payload_byte_count; left > 0; left -= 1) *stream++ = next_random(&random) & 0x7F;
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
static bool verify_counts(channel *channel, uint64_t packets, uint64_t payload_bytes, network_failure *failure) {
    uint8_t request[header_byte_count], reply[header_byte_count + count_payload_byte_count];
    set_header(request, sizeof request, network_count_id);
    if (!channel_send_all(channel, request, sizeof request, failure) ||
        !channel_receive_all(channel, reply, sizeof reply)) {
        return fail(failure, "no answer to how many packets came: %s", channel_error(channel));
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

network_figures network_ingest(const network_server *server, size_t payload_byte_count, double seconds) {
    network_figures figures = {0};
    size_t packet_byte_count = header_byte_count + payload_byte_count, packets = (1 << 20) / packet_byte_count;
    uint8_t *block = malloc(packets * packet_byte_count);
    channel channel;
    if (block == NULL) abort();
    if (channel_open(&channel, server, &figures.failure)) {
        fill_packets(block, packets, payload_byte_count, network_counted_id);
        // The first block and its answer are for warming up.
        bool is_right = channel_send_all(&channel, block, packets * packet_byte_count, &figures.failure) &&
            verify_counts(&channel, packets, packets * payload_byte_count, &figures.failure);
        moment start = moment_now(server);
        while (is_right && (double)(nanoseconds_now() - start.time) < seconds * 1e9) {
            is_right = channel_send_all(&channel, block, packets * packet_byte_count, &figures.failure);
            figures.packets += packets;
        }
        if (is_right) verify_counts(&channel, figures.packets, figures.packets * payload_byte_count, &figures.failure);
        add_cost(&figures, server, start);
        channel_close(&channel);
    }
    free(block);
    return figures;
}

// --- Idle

network_figures network_idle(const network_server *server, int connections) {
    network_figures figures = {0};
    channel *channels = calloc((size_t)connections, sizeof *channels);
    if (channels == NULL) abort();
    uint64_t first = 0;
    int count = 0;
    while (count < connections && channel_open(&channels[count], server, &figures.failure)) {
        count += 1;
        if (!channel_use_once(&channels[count - 1], &figures.failure)) break;
        if (count == 1) first = resident_bytes(server->pid);
    }
    if (figures.failure.text[0] == 0) {
        uint64_t all = resident_bytes(server->pid);
        if (first == 0 || all == 0) fail(&figures.failure, "cannot read the server's /proc/PID/smaps_rollup");
        figures.packets = (uint64_t)connections;
        figures.bytes_per_connection = ((double)all - (double)first) / (double)(connections - 1);
    }
    while (count > 0) channel_reset(&channels[count -= 1]);
    free(channels);
    return figures;
}
