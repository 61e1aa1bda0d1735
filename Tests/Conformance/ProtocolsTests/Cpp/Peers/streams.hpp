// SPDX-License-Identifier: Apache-2.0

#pragma once

// Sends streams through the generated splitter, cut in many ways. Each line of input is a stream:
// {"from":"client","state":null,"packets":["00…"],"ends":[0,15],"bad":"00…","seed":7}. The stream may end at the places ends.

#include "coder.hpp"

namespace peer {

struct Found {
    std::vector<std::string> packets;
    std::optional<wire::Error> error;
};

/// What a splitter gives for pieces; the pieces are overwritten, so that nothing may share them.
inline Found split(wire::Splitter& splitter, std::vector<wire::Bytes> parts) {
    Found found;
    for (wire::Bytes& part : parts) {
        splitter.push(part);
        std::fill(part.begin(), part.end(), std::uint8_t{0xEE});
        for (;;) {
            const wire::Result<wire::Packet> packet = splitter.next();
            if (packet.failed()) {
                // It stays failed.
                must(splitter.next().error() == packet.error() && splitter.finish() == packet.error());
                found.error = packet.error();
                return found;
            }
            if (!packet) break;
            found.packets.push_back(shown(*packet));
        }
    }
    return found;
}

/// Changes a packet at random. Whatever comes of it, the program goes on, and no memory is taken for what is only announced.
inline void damage(wire::Sender sender, Coder& coder, const wire::Bytes& packet, Random& random) {
    const std::size_t rounds = 300, before = allocated;
    for (std::size_t i = 0; i < rounds; i++) {
        wire::Bytes changed = packet;
        for (std::size_t k = below(4, random) + 1; k > 0; k--) {
            const std::array<std::size_t, 6> values = {0, 1, 0x7F, 0x80, 0xFF, below(256, random)};
            changed[below(changed.size(), random)] = static_cast<std::uint8_t>(values[below(6, random)]);
        }
        const wire::Result<wire::Packet> found = coder.decode(part(changed, 0, below(changed.size() + 1, random)), sender);
        if (!found) continue;
        // What was read can be written, or is refused.
        const wire::Result<wire::Bytes> again = coder.encode(found->message, found->header, sender);
        must(!again.needs_more());
        const wire::Packet copy = *found;
        static_cast<void>(copy == *found);
    }
    must(allocated - before < rounds * (32768 + 1000 * packet.size()));
}

inline void stream(const Json& line) {
    const wire::Sender sender = senderOf(line);
    Random random(static_cast<unsigned>(std::strtoul(line.at("seed").text.c_str(), nullptr, 10)));
    std::vector<wire::Bytes> packets;
    for (const Json& packet : line.at("packets").items) packets.push_back(adapter::unhexed(packet));
    const wire::Bytes whole = joined(packets), bad = adapter::unhexed(line.at("bad"));
    std::vector<std::string> expected;
    Coder coder(line);
    for (std::size_t start = 0; start < whole.size();) {
        const wire::Result<wire::Packet> packet = coder.decode(part(whole, start, whole.size()), sender);
        must(packet);
        expected.push_back(shown(*packet));
        start += packet->byte_count;
    }
    must(expected.size() == packets.size());
    for (const std::size_t size : {whole.size(), std::size_t{1}, std::size_t{0}}) {
        Coder own(line);
        wire::Splitter splitter = own.splitter(sender);
        const Found found = split(splitter, pieces(whole, size, random));
        must(!found.error && found.packets == expected && !splitter.finish());
        if (line.at("bad").kind == Json::Kind::nothing) continue;
        const wire::Bytes faulty = joined({whole, bad});
        Coder other(line);
        wire::Splitter failing = other.splitter(sender);
        const Found fault = split(failing, pieces(faulty, size > 1 ? faulty.size() : size, random));
        must(fault.packets == expected && fault.error);
        must(coder.decode(bad, sender).error() == *fault.error);
    }
    for (std::size_t end = 0; end <= whole.size(); end++) {
        Coder own(line);
        wire::Splitter splitter = own.splitter(sender);
        must(!split(splitter, {part(whole, 0, end)}).error);
        bool mayEnd = false;
        for (const Json& known : line.at("ends").items) mayEnd = mayEnd || known.text == std::to_string(end);
        const std::optional<wire::Error> fault = splitter.finish();
        must(fault.has_value() != mayEnd);
        must(!fault || (fault->kind == "end_of_stream" && fault->path.empty() && splitter.finish() == fault));
    }
    Coder last(line);
    for (const wire::Bytes& packet : packets) damage(sender, last, packet, random);
}

inline void streams() {
    std::string text;
    int count = 0;
    for (; std::getline(std::cin, text); count++) stream(adapter::Parser{text}.parsed());
    std::cout << count << " streams\n";
}

}  // namespace peer
