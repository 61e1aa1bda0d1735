// SPDX-License-Identifier: Apache-2.0

// What Embedded Swift takes from a C library and from the compiler's own library, for a WebAssembly program that reads
// standard input and writes standard output through WASI (wasi_snapshot_preview1).

#include <stddef.h>
#include <stdint.h>

// MARK: WASI

typedef struct {
    void *base;
    size_t byteCount;
} Slice;

__attribute__((import_module("wasi_snapshot_preview1"), import_name("fd_read")))
int32_t wasi_read(int32_t descriptor, const Slice *slices, size_t sliceCount, size_t *byteCount);

__attribute__((import_module("wasi_snapshot_preview1"), import_name("fd_write")))
int32_t wasi_write(int32_t descriptor, const Slice *slices, size_t sliceCount, size_t *byteCount);

__attribute__((import_module("wasi_snapshot_preview1"), import_name("proc_exit")))
_Noreturn void wasi_exit(int32_t status);

static uint8_t output[4096];
static size_t outputCount = 0;

static void flush(void) {
    size_t written = 0;
    for (size_t start = 0; start < outputCount; start += written) {
        Slice slice = {output + start, outputCount - start};
        if (wasi_write(1, &slice, 1, &written) != 0) wasi_exit(74);
    }
    outputCount = 0;
}

int putchar(int character) {
    output[outputCount++] = (uint8_t)character;
    if (outputCount == sizeof output) flush();
    return character;
}

// The next byte of standard input; -1 at its end.
int32_t next_input_byte(void) {
    static uint8_t input[4096];
    static size_t position = 0, count = 0;
    if (position == count) {
        Slice slice = {input, sizeof input};
        position = 0;
        if (wasi_read(0, &slice, 1, &count) != 0) wasi_exit(74);
        if (count == 0) return -1;
    }
    return input[position++];
}

int packets_main(int argumentCount, char **arguments);

__attribute__((export_name("_start"))) void start(void) {
    int status = packets_main(0, NULL);
    flush();
    wasi_exit(status);
}

// MARK: Memory

// Blocks of powers of two. A block that is freed waits in the list of its size; 16 bytes before it say which one.

extern uint8_t __heap_base;
static uintptr_t heapEnd = 0;
static void *freeBlocks[32];

int posix_memalign(void **result, size_t alignment, size_t byteCount) {
    if (alignment > 16) return 22;
    int32_t order = 5;
    while (order < 32 && ((size_t)1 << order) - 16 < byteCount) order++;
    if (order == 32) return 12;
    void *block = freeBlocks[order];
    if (block) {
        freeBlocks[order] = *(void **)block;
    } else {
        if (heapEnd == 0) heapEnd = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
        uint64_t end = (uint64_t)heapEnd + ((uint64_t)1 << order);
        uint64_t available = (uint64_t)__builtin_wasm_memory_size(0) << 16;
        if (end > UINT32_MAX) return 12;
        if (end > available && __builtin_wasm_memory_grow(0, (size_t)((end - available + 0xFFFF) >> 16)) == SIZE_MAX) return 12;
        *(int32_t *)heapEnd = order;
        block = (void *)(heapEnd + 16);
        heapEnd = (uintptr_t)end;
    }
    *result = block;
    return 0;
}

void free(void *block) {
    if (!block) return;
    int32_t order = *(int32_t *)((uint8_t *)block - 16);
    *(void **)block = freeBlocks[order];
    freeBlocks[order] = block;
}

void *memcpy(void *target, const void *source, size_t byteCount) {
    return __builtin_memcpy(target, source, byteCount);
}

void *memmove(void *target, const void *source, size_t byteCount) {
    return __builtin_memmove(target, source, byteCount);
}

void *memset(void *target, int value, size_t byteCount) { return __builtin_memset(target, value, byteCount); }

int memcmp(const void *left, const void *right, size_t byteCount) {
    const uint8_t *a = left, *b = right;
    for (size_t index = 0; index < byteCount; index++) {
        if (a[index] != b[index]) return a[index] - b[index];
    }
    return 0;
}

// The seeds of hash tables: the same ones in every run, so that a failure repeats itself.
void arc4random_buf(void *buffer, size_t byteCount) { memset(buffer, 0x5A, byteCount); }

// MARK: Integers of 128 bits

typedef __int128 Signed;
typedef unsigned __int128 Unsigned;

typedef union {
    Unsigned whole;
    struct {
        uint64_t low, high;
    };
} Halves;

Signed __ashlti3(Signed value, int count) {
    Halves in = {.whole = (Unsigned)value}, out = in;
    if (count >= 64) {
        out.low = 0;
        out.high = in.low << (count - 64);
    } else if (count > 0) {
        out.low = in.low << count;
        out.high = in.high << count | in.low >> (64 - count);
    }
    return (Signed)out.whole;
}

static Unsigned shiftedRight(Unsigned value, int count, uint64_t sign) {
    Halves in = {.whole = value}, out = in;
    if (count >= 64) {
        out.low = count == 64 ? in.high : in.high >> (count - 64) | (sign ? sign << (128 - count) : 0);
        out.high = sign;
    } else if (count > 0) {
        out.low = in.low >> count | in.high << (64 - count);
        out.high = in.high >> count | (sign ? sign << (64 - count) : 0);
    }
    return out.whole;
}

Signed __lshrti3(Signed value, int count) { return (Signed)shiftedRight((Unsigned)value, count, 0); }

Signed __ashrti3(Signed value, int count) {
    return (Signed)shiftedRight((Unsigned)value, count, value < 0 ? UINT64_MAX : 0);
}

Signed __multi3(Signed left, Signed right) {
    Halves a = {.whole = (Unsigned)left}, b = {.whole = (Unsigned)right}, out;
    uint64_t a0 = (uint32_t)a.low, a1 = a.low >> 32, b0 = (uint32_t)b.low, b1 = b.low >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (uint32_t)middle;
    out.low = a.low * b.low;
    out.high = a1 * b1 + (middle >> 32) + (other >> 32) + a.high * b.low + a.low * b.high;
    return (Signed)out.whole;
}

static Unsigned divided(Unsigned value, Unsigned divisor, Unsigned *remainder) {
    Halves in = {.whole = value}, quotient = {.whole = 0};
    Unsigned rest = 0;
    for (int bit = 127; bit >= 0; bit--) {
        uint64_t next = (bit >= 64 ? in.high >> (bit - 64) : in.low >> bit) & 1;
        rest = (rest + rest) | next;
        if (rest >= divisor) {
            rest -= divisor;
            if (bit >= 64) {
                quotient.high |= (uint64_t)1 << (bit - 64);
            } else {
                quotient.low |= (uint64_t)1 << bit;
            }
        }
    }
    *remainder = rest;
    return quotient.whole;
}

Unsigned __udivti3(Unsigned value, Unsigned divisor) {
    Unsigned remainder;
    return divided(value, divisor, &remainder);
}

Unsigned __umodti3(Unsigned value, Unsigned divisor) {
    Unsigned remainder;
    divided(value, divisor, &remainder);
    return remainder;
}

static Unsigned magnitude(Signed value) { return value < 0 ? -(Unsigned)value : (Unsigned)value; }

Signed __divti3(Signed value, Signed divisor) {
    Unsigned remainder, quotient = divided(magnitude(value), magnitude(divisor), &remainder);
    return (Signed)((value < 0) != (divisor < 0) ? -quotient : quotient);
}

Signed __modti3(Signed value, Signed divisor) {
    Unsigned remainder;
    divided(magnitude(value), magnitude(divisor), &remainder);
    return (Signed)(value < 0 ? -remainder : remainder);
}
