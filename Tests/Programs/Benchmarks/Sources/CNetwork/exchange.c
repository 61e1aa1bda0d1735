// SPDX-License-Identifier: Apache-2.0
#include "exchange.h"
#include "bytes.h"
#include "load.h"
#include "websocket.h"

#include <CLimit.h>

static void fill(uint8_t *payload, size_t count, uint64_t *random) {
    while (count > 0) payload[count -= 1] = next_random(random) & 0x7F;
}

static uint8_t *add_packet(buffer *output, uint16_t id, size_t payload_byte_count) {
    size_t byte_count = header_byte_count + payload_byte_count;
    make_room(output, output->count + byte_count);
    uint8_t *packet = output->bytes + output->count;
    set_header(packet, (uint32_t)byte_count, id);
    output->count += byte_count;
    return packet + header_byte_count;
}

void exchange_add(exchange *self, uint16_t id, size_t payload_byte_count, uint64_t *random) {
    if (!self->is_of_websocket) {
        fill(add_packet(&self->requests, id, payload_byte_count), payload_byte_count, random);
        return;
    }
    uint32_t key = (uint32_t)next_random(random);
    uint8_t *content = websocket_add_header(&self->unmasked, websocket_binary, payload_byte_count, NULL);
    fill(content, payload_byte_count, random);
    limit_mask(
        content, websocket_add_header(&self->requests, websocket_binary, payload_byte_count, &key), payload_byte_count,
        key);
}

void exchange_add_end(exchange *self) {
    if (self->is_of_websocket) websocket_add_closing(&self->unmasked, NULL);
}

void exchange_free(exchange *self) {
    free(self->requests.bytes);
    free(self->unmasked.bytes);
}
