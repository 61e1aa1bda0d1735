// SPDX-License-Identifier: Apache-2.0

#pragma once

// What the programs of tests need beside an adapter: a coder for packets, with a connection if the protocol needs one. CONNECTED says so.

#include <random>

namespace peer {

using adapter::Json;

#define must(...) peer::check(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

inline void check(bool good, const char* what, const char* file, int line) {
    if (good) return;
    std::fprintf(stderr, "%s:%d: %s\n", file, line, what);
    std::exit(1);
}

inline std::size_t allocated = 0;

inline wire::Sender senderOf(const Json& line) { return line.at("from").is("server") ? wire::Sender::server : wire::Sender::client; }

template <class C, class... M> auto encodeAs(int, wire::Sender sender, C&& c, M&&... more) -> decltype(wire::encode(c, more..., sender)) { return wire::encode(c, more..., sender); }

template <class C, class... M> auto encodeAs(long, wire::Sender, C&& c, M&&... more) -> decltype(wire::encode(c, more...)) { return wire::encode(c, more...); }

/// The header's functions, or a connection.
struct Coder {
#ifdef CONNECTED
    wire::Connection connection;

    explicit Coder(const Json& line) : connection(adapter::connectionOf(line)) {}

    wire::Result<wire::Packet> decode(const wire::Bytes& bytes, wire::Sender sender) { return wire::decode(connection, bytes, sender); }

    wire::Result<wire::Bytes> encode(const wire::Message& message, const wire::Header& header, wire::Sender sender) { return encodeAs(0, sender, connection, message, header); }

    wire::Splitter splitter(wire::Sender sender) { return wire::Splitter(connection, sender); }
#else
    explicit Coder(const Json&) {}

    wire::Result<wire::Packet> decode(const wire::Bytes& bytes, wire::Sender sender) { return wire::decode(bytes, sender); }

    wire::Result<wire::Bytes> encode(const wire::Message& message, const wire::Header& header, wire::Sender sender) { return encodeAs(0, sender, message, header); }

    wire::Splitter splitter(wire::Sender sender) { return wire::Splitter(sender); }
#endif
};

using Random = std::minstd_rand;

/// A number below another one.
inline std::size_t below(std::size_t most, Random& random) { return random() % most; }

/// Cuts bytes into pieces of a size, or of random sizes.
inline std::vector<wire::Bytes> pieces(const wire::Bytes& b, std::size_t size, Random& random) {
    std::vector<wire::Bytes> all;
    for (std::size_t p = 0; p < b.size();) {
        const std::size_t n = std::min(size == 0 ? below(9, random) : size, b.size() - p);
        all.emplace_back(b.begin() + static_cast<std::ptrdiff_t>(p), b.begin() + static_cast<std::ptrdiff_t>(p + n));
        p += n;
    }
    return all;
}

inline std::string text(const Json& json) {
    std::string out;
    adapter::print(json, out);
    return out;
}

inline std::string shown(wire::Packet packet) { return std::to_string(packet.byte_count) + text(adapter::line(packet)); }

inline wire::Bytes part(const wire::Bytes& b, std::size_t from, std::size_t to) { return wire::Bytes(b.begin() + static_cast<std::ptrdiff_t>(from), b.begin() + static_cast<std::ptrdiff_t>(to)); }

inline wire::Bytes joined(const std::vector<wire::Bytes>& parts) {
    wire::Bytes all;
    for (const wire::Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

}  // namespace peer

void* operator new(std::size_t count) {
    peer::allocated += count;
    void* made = std::malloc(count > 0 ? count : 1);
    if (made == nullptr) std::abort();
    return made;
}

void operator delete(void* made) noexcept { std::free(made); }

void operator delete(void* made, std::size_t) noexcept { std::free(made); }
