// SPDX-License-Identifier: Apache-2.0
#ifndef NETWORK_LOAD_H
#define NETWORK_LOAD_H

#include "process.h"

enum { echoed_id = 20001, once_byte_count = 23 };

// Who is silent for so long says nothing more.
extern int stall_milliseconds;

// Numbers that look random, the same for the same seed (SplitMix64).
uint64_t next_random(uint64_t *state);

// Fills a stream with `count` packets of one size, each with a payload of its own.
void fill_packets(uint8_t *stream, size_t count, size_t payload_byte_count, uint16_t id);

// What server and load have cost since a moment.
typedef struct {
    uint64_t time, server, load;
} moment;

moment moment_now(const network_server *server);
void add_cost(network_figures *figures, const network_server *server, moment since);

#endif
