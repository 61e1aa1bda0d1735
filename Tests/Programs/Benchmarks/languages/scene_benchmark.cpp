// SPDX-License-Identifier: Apache-2.0

// Compares the generated code of Scene with code written by hand. Prints CASE IMPLEMENTATION NANOSECONDS a line.
// The other code writes bytes with shifts, and makes a vector for each packet. It checks what a packet of this message must be: its length
// and its ID, whether it has arrived whole, that nothing is missing or left over, and that text is UTF-8. It makes no header.

#include "scene_protocol.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

using scene::Bytes;
using scene::Sc_20001;

double nanoseconds = 0;

// They keep the compiler from leaving work out.
volatile std::size_t sink = 0;

void require(bool isTrue, const char* what) {
    if (isTrue) return;
    std::fprintf(stderr, "%s\n", what);
    std::exit(1);
}

template <class Work> void measure(const char* name, std::size_t size, const char* implementation, Work work) {
    using Clock = std::chrono::steady_clock;
    for (std::size_t count = 1;;) {
        const auto start = Clock::now();
        for (std::size_t i = 0; i < count; i++) sink = sink + work();
        const double elapsed = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
        if (elapsed >= nanoseconds) {
            std::printf("%s_%d\t%s\t%f\n", name, static_cast<int>(size), implementation, elapsed / static_cast<double>(count));
            return;
        }
        count = std::max(count + 1, static_cast<std::size_t>(static_cast<double>(count) * std::min(100.0, nanoseconds * 1.1 / (elapsed + 1000))));
    }
}

/// Whether text is UTF-8; eight bytes of ASCII are looked at together.
bool isText(const std::uint8_t* b, std::size_t n) {
    for (std::size_t i = 0; i < n;) {
        std::uint64_t eight = 0;
        if (n - i >= 8 && (std::memcpy(&eight, b + i, 8), (eight & 0x8080808080808080U) == 0)) {
            i += 8;
            continue;
        }
        const int x = b[i];
        const std::size_t count = x < 0x80 ? 1 : x >= 0xC2 && x < 0xE0 ? 2 : x >= 0xE0 && x < 0xF0 ? 3 : x >= 0xF0 && x < 0xF5 ? 4 : 0;
        if (count == 0 || n - i < count) return false;
        for (std::size_t k = 1; k < count; k++) if ((b[i + k] & 0xC0) != 0x80) return false;
        if ((x == 0xE0 && b[i + 1] < 0xA0) || (x == 0xED && b[i + 1] > 0x9F) || (x == 0xF0 && b[i + 1] < 0x90) || (x == 0xF4 && b[i + 1] > 0x8F)) return false;
        i += count;
    }
    return true;
}

void put32(std::uint8_t* b, std::uint32_t v) {
    b[0] = static_cast<std::uint8_t>(v >> 24);
    b[1] = static_cast<std::uint8_t>(v >> 16);
    b[2] = static_cast<std::uint8_t>(v >> 8);
    b[3] = static_cast<std::uint8_t>(v);
}

void put16(std::uint8_t* b, std::size_t v) {
    b[0] = static_cast<std::uint8_t>(v >> 8);
    b[1] = static_cast<std::uint8_t>(v);
}

std::uint32_t get32(const std::uint8_t* b) { return static_cast<std::uint32_t>(b[0]) << 24 | static_cast<std::uint32_t>(b[1]) << 16 | static_cast<std::uint32_t>(b[2]) << 8 | b[3]; }

std::size_t get16(const std::uint8_t* b) { return static_cast<std::size_t>(b[0] << 8 | b[1]); }

bool encodeByHand(const Sc_20001& m, Bytes& b) {
    const std::size_t count = m.message.size();
    if (count > 65535 || !isText(reinterpret_cast<const std::uint8_t*>(m.message.data()), count)) return false;
    b.resize(20 + count);
    put32(b.data(), static_cast<std::uint32_t>(b.size()));
    put16(b.data() + 4, 20001);
    b[6] = m.res;
    put32(b.data() + 7, m.scene_id);
    b[11] = m.pos;
    b[12] = m.status;
    b[13] = m.type;
    put32(b.data() + 14, m.default_combat);
    put16(b.data() + 18, count);
    std::memcpy(b.data() + 20, m.message.data(), count);
    return true;
}

enum class Outcome { packet, more, error };

Outcome decodeByHand(const Bytes& b, Sc_20001& m) {
    if (b.size() < 6) return Outcome::more;
    const std::size_t length = get32(b.data());
    if (length < 6 || length > 1U << 20) return Outcome::error;
    if (b.size() < length) return Outcome::more;
    if (get16(b.data() + 4) != 20001 || length < 20 || length != 20 + get16(b.data() + 18)) return Outcome::error;
    if (!isText(b.data() + 20, length - 20)) return Outcome::error;
    m.res = b[6];
    m.scene_id = get32(b.data() + 7);
    m.pos = b[11];
    m.status = b[12];
    m.type = b[13];
    m.default_combat = get32(b.data() + 14);
    m.message.assign(reinterpret_cast<const char*>(b.data() + 20), length - 20);
    return Outcome::packet;
}

}  // namespace

int main(int, char** arguments) {
    nanoseconds = 1e6 * std::strtod(arguments[1], nullptr);
    for (const std::size_t size : {std::size_t{16}, std::size_t{1024}}) {
        Sc_20001 message;
        message.res = 1;
        message.scene_id = 70000;
        message.pos = 2;
        message.status = 10;
        message.type = 3;
        message.default_combat = 4000000000U;
        message.message = std::string(size, 'x');
        const Bytes packet = *scene::encode(message);
        Bytes byHand;
        require(encodeByHand(message, byHand) && byHand == packet, "both write the same bytes");
        Sc_20001 read;
        require(decodeByHand(packet, read) == Outcome::packet && read == message, "by hand reads the message");
        const scene::Result<scene::Packet> decoded = scene::decode(packet, scene::Sender::server);
        require(decoded && *decoded->get_if<Sc_20001>() == message, "wireline reads the message");
        measure("encode", size, "wireline", [&] { return scene::encode(message)->size(); });
        measure("encode", size, "by hand", [&] {
            Bytes own;
            encodeByHand(message, own);
            return own.size();
        });
        measure("decode", size, "wireline", [&] {
            const scene::Result<scene::Packet> found = scene::decode(packet, scene::Sender::server);
            return found->get_if<Sc_20001>()->message.size();
        });
        measure("decode", size, "by hand", [&] {
            Sc_20001 found;
            decodeByHand(packet, found);
            return found.message.size();
        });
    }
}
