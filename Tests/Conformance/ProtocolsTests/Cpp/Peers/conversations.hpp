// SPDX-License-Identifier: Apache-2.0

#pragma once

// Takes part in conversations whose packets have layers. Each line of input is one: {"keys":{"session":"00ff"},"seed":7,
// "packets":[{"from":"client","hex":"00…"}],"bad":{"from":"client","hex":"00…"}}. The packets are read one by one, and by splitters of both
// sides, cut in many ways. What was read is written again, by a new connection; that is printed, and the error of the packet that ends it.

#include "coder.hpp"

namespace peer {

/// Adds the lines of a packet, or of those in it.
inline void flatten(const Json& line, std::vector<std::string>& to) {
    const Json* inner = line.get("packets");
    if (!inner) return to.push_back(text(line));
    for (const Json& each : inner->items) flatten(each, to);
}

inline void flatten(wire::Packet packet, std::vector<std::string>& to) { flatten(adapter::line(packet), to); }

struct Both {
    Coder coder;
    wire::Splitter client;
    wire::Splitter server;

    explicit Both(const Json& line) : coder(line), client(coder.splitter(wire::Sender::client)), server(coder.splitter(wire::Sender::server)) {}

    wire::Splitter& of(wire::Sender sender) { return sender == wire::Sender::server ? server : client; }
};

/// What both sides' splitters of one connection give for the first packets, and for some bytes of the next one.
inline std::vector<std::string> split(Both& both, const Json& line, std::size_t count, std::size_t more, std::size_t size, Random& random) {
    std::vector<std::string> found;
    const std::vector<Json>& packets = line.at("packets").items;
    for (std::size_t i = 0; i < packets.size(); i++) {
        wire::Bytes b = adapter::unhexed(packets[i].at("hex"));
        if (i >= count) b = part(b, 0, std::min(more, b.size()));
        for (const wire::Bytes& piece : pieces(b, size, random)) {
            wire::Splitter& splitter = both.of(senderOf(packets[i]));
            splitter.push(piece);
            for (;;) {
                const wire::Result<wire::Packet> packet = splitter.next();
                must(!packet.failed());
                if (!packet) break;
                flatten(*packet, found);
            }
        }
    }
    return found;
}

inline void conversation(const Json& line) {
    Coder reader(line), writer(line);
    Random random(static_cast<unsigned>(std::strtoul(line.at("seed").text.c_str(), nullptr, 10)));
    std::vector<std::string> expected, written;
    const std::vector<Json>& packets = line.at("packets").items;
    for (const Json& packet : packets) {
        const wire::Bytes b = adapter::unhexed(packet.at("hex"));
        const wire::Sender sender = senderOf(packet);
        // A packet that has not arrived whole, or is broken, changes nothing of the connection.
        must(!reader.decode(part(b, 0, b.size() - 1), sender));
        for (int i = 0; i < 8; i++) {
            wire::Bytes changed = b;
            std::uint8_t& byte = changed[below(b.size(), random)];
            byte = static_cast<std::uint8_t>(byte ^ (1 + below(255, random)));
            Coder copy = reader;
            const wire::Result<wire::Packet> broken = copy.decode(changed, sender);
            if (broken.failed()) must(reader.decode(changed, sender).error() == broken.error());
        }
        wire::Bytes more = b;
        more.push_back('?');
        const wire::Result<wire::Packet> whole = reader.decode(more, sender);
        must(whole && whole->byte_count == b.size());
        flatten(*whole, expected);
        const wire::Result<wire::Bytes> again = writer.encode(whole->message, whole->header, sender);
        must(again);
        written.push_back(adapter::hexed(*again));
    }
    const Json& bad = line.at("bad");
    for (const std::size_t size : {std::size_t{1}, std::size_t{1} << 20, std::size_t{0}}) {
        Both both(line);
        must(split(both, line, packets.size(), 0, size, random) == expected);
        if (bad.kind == Json::Kind::nothing) {
            must(!both.client.finish() && !both.server.finish());
            continue;
        }
        wire::Splitter& splitter = both.of(senderOf(bad));
        splitter.push(adapter::unhexed(bad.at("hex")));
        const wire::Result<wire::Packet> none = splitter.next();
        must(none.failed() && splitter.finish() == none.error());
        written.resize(packets.size());
        written.push_back(std::string(none.error().kind) + "," + none.error().path + "," + std::to_string(none.error().offset));
    }
    if (!packets.empty()) {
        const std::size_t count = packets.back().at("hex").text.size();
        for (std::size_t stop = 1; stop < count / 2; stop += 1 + count / 80) {
            Both both(line);
            must(split(both, line, packets.size() - 1, stop, std::size_t{1} << 20, random).size() <= expected.size());
            const std::optional<wire::Error> fault = both.of(senderOf(packets.back())).finish();
            // Marks that end packets and begin them begin nothing.
            must(fault ? fault->kind == "end_of_stream" && fault->path.empty() : stop == 1);
        }
    }
    for (std::size_t i = 0; i < written.size(); i++) std::cout << (i > 0 ? " " : "") << written[i];
    std::cout << "\n";
}

inline void conversations() {
    std::string text;
    while (std::getline(std::cin, text)) conversation(adapter::Parser{text}.parsed());
}

}  // namespace peer
