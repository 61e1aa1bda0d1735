// SPDX-License-Identifier: Apache-2.0
#ifndef NETWORK_BUFFER_H
#define NETWORK_BUFFER_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct {
    uint8_t *bytes;
    size_t count, room;
} buffer;

static inline void make_room(buffer *self, size_t room) {
    if (room <= self->room) return;
    self->room = room < 2 * self->room ? 2 * self->room : room;
    self->bytes = realloc(self->bytes, self->room);
    if (self->bytes == NULL) abort();
}

#endif
