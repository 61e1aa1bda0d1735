// SPDX-License-Identifier: Apache-2.0

// Layers of the program, limits, and packets in packets.

#include "coder.hpp"

namespace peer {

/// Takes the place of brotli: each byte is there twice.
inline wire::Layer doubling() {
    return {[](const wire::Bytes& sealed, const wire::Header&, std::size_t limit, wire::Bytes& content) {
        if (sealed.size() % 2 == 1) return wire::LayerOutcome::damaged;
        if (sealed.size() / 2 > limit) return wire::LayerOutcome::too_long;
        for (std::size_t i = 0; i < sealed.size(); i += 2) {
            if (sealed[i] != sealed[i + 1]) return wire::LayerOutcome::damaged;
            content.push_back(sealed[i]);
        }
        return wire::LayerOutcome::done;
    }, [](const wire::Bytes& content, const wire::Header&, wire::Bytes& sealed) {
        for (const std::uint8_t x : content) sealed.insert(sealed.end(), 2, x);
        return wire::LayerOutcome::done;
    }};
}

inline wire::Packet note(const std::string& text, std::uint32_t sequence) {
    wire::Notification notification;
    notification.body = text;
    wire::Header header;
    header.version = wire::Form::plain;
    header.sequence = sequence;
    return {notification, header, 0};
}

template <class T> void isRefused(const wire::Result<T>& result, std::string_view kind, std::string_view path) { must(result.failed() && result.error().kind == kind && result.error().path == path && result.error().offset == -1); }

inline void layers() {
    wire::Connection both = adapter::connectionOf(Json());
    must(!both.set_layer("brotli", doubling()));
    const std::optional<wire::Error> unknown = both.set_layer("Brotli", doubling());
    must(unknown && unknown->kind == "unknown_layer" && unknown->path == "layer.Brotli");
    wire::Header brotli, zlib;
    brotli.version = wire::Form::brotli;
    zlib.version = wire::Form::zlib;
    const wire::InnerPackets inside{5, {note("b", 0), note("c", 7)}};
    const wire::InnerPackets group{5, {note("a", 0), {wire::UnknownMessage{6, {1}}, wire::Header(), 0}, {inside, zlib, 0}}};
    const wire::Result<wire::Bytes> sealed = wire::encode(both, group, brotli);
    must(sealed);
    const wire::Result<wire::Packet> opened = wire::decode(both, *sealed, wire::Sender::server);
    must(opened && opened->byte_count == sealed->size());
    const wire::InnerPackets* packets = opened->get_if<wire::InnerPackets>();
    must(packets && packets->packets.size() == 3 && packets->packets[2].get_if<wire::InnerPackets>()->packets.size() == 2);
    const wire::Result<wire::Bytes> again = wire::encode(both, opened->message, opened->header, wire::Sender::server);
    must(again && *again == *sealed);

    // A splitter gives the packets in a packet in its place.
    Random random(7);
    for (const std::size_t size : {std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
        wire::Splitter splitter(both, wire::Sender::server);
        std::string found;
        for (const wire::Bytes& piece : pieces(joined({*sealed, *sealed}), size, random)) {
            splitter.push(piece);
            while (const wire::Result<wire::Packet> packet = splitter.next()) {
                const auto* m = packet->get_if<wire::Notification>();
                if (m) found += m->body + std::to_string(packet->header.sequence) + " ";
            }
        }
        must(found == "a0 b0 c7 a0 b0 c7 " && !splitter.finish());
    }

    // What is missing, and what is wrong.
    wire::Connection none;
    isRefused(wire::decode(none, *sealed, wire::Sender::server), "layer_unavailable", "packet.brotli");
    isRefused(wire::encode(none, group, brotli), "layer_unavailable", "packets[2].packet.zlib");
    wire::Bytes damaged = *sealed;
    damaged.back() ^= 1;
    isRefused(wire::decode(both, damaged, wire::Sender::server), "invalid_layer", "packet.brotli");
    for (const auto& [outcome, kind] : {std::pair{wire::LayerOutcome::too_long, "inflated_too_long"}, std::pair{wire::LayerOutcome::trailing, "trailing_bytes"}}) {
        wire::Connection failing;
        must(!failing.set_layer("brotli", {[outcome = outcome](const wire::Bytes&, const wire::Header&, std::size_t, wire::Bytes&) { return outcome; }, nullptr}));
        isRefused(wire::decode(failing, *sealed, wire::Sender::server), kind, "packet.brotli");
    }
    isRefused(wire::encode(both, group), "presence", "packets");
    isRefused(wire::encode(both, wire::Notification(), brotli), "presence", "packets");
    isRefused(wire::encode(both, wire::InnerPackets{5, {note("a", 0), wire::Packet()}}, brotli), "wrong_type", "packets[1]");

    // Too deep.
    wire::InnerPackets deep{5, {note("a", 0)}};
    for (int i = 0; i < 6; i++) {
        wire::InnerPackets outer{5, {}};
        outer.packets.push_back({deep, brotli, 0});
        deep = std::move(outer);
    }
    isRefused(wire::encode(both, deep, brotli), "too_deep", "packets[0].packets[0].packets[0].packets[0]");

    std::cout << "as expected\n";
}

}  // namespace peer
