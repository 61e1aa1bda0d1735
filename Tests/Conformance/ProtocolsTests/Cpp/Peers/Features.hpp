// SPDX-License-Identifier: Apache-2.0

// Gives wrong values to the header.

#include "coder.hpp"

#include <cmath>

namespace peer {

template <class T> void isRefused(const T& m, std::string_view kind, std::string_view path, const wire::Header& header = wire::Header()) {
    const wire::Result<wire::Bytes> made = wire::encode(m, header);
    must(made.failed());
    must(made.error().kind == kind && made.error().path == path && made.error().offset == -1);
    wire::Bytes before = {1, 2};
    must(wire::append(before, m, header).failed() && before == (wire::Bytes{1, 2}));
}

/// A message with one changed field.
template <class T, class F> T with(F change) {
    T m;
    change(m);
    return m;
}

inline void values() {
    // Numbers that their types hold, and their formats do not.
    isRefused(with<wire::Cs_1>([](auto& m) { m.u24 = 1 << 24; }), "out_of_range", "Cs_1.u24");
    isRefused(with<wire::Cs_1>([](auto& m) { m.i24 = -(1 << 23) - 1; }), "out_of_range", "Cs_1.i24");
    isRefused(with<wire::Ranges>([](auto& m) {
        m.level = 10;
        m.offset = 6;
    }), "out_of_range", "Ranges.level");
    isRefused(with<wire::Ranges>([](auto& m) {
        m.level = 1;
        m.ratio = std::nanf("");
    }), "float_out_of_range", "Ranges.ratio");
    const wire::Result<wire::Bytes> noisy = wire::encode(with<wire::Cs_1>([](auto& m) {
        m.f32 = -std::nanf("1");
        m.f64 = -std::nan("1");
    }));
    const wire::Bytes quiet = {0, 0, 0xC0, 0x7F, 0, 0, 0, 0, 0, 0, 0xF8, 0x7F};
    must(noisy && std::search(noisy->begin(), noisy->end(), quiet.begin(), quiet.end()) != noisy->end());

    // Text that is no UTF-8.
    isRefused(with<wire::Texts>([](auto& m) { m.plain = "\xED\xA0\x80"; }), "invalid_utf8", "Texts.plain");
    isRefused(with<wire::WideText>([](auto& m) { m.plain = "\xFF"; }), "invalid_utf8", "WideText.plain");
    isRefused(with<wire::Texts>([](auto& m) { m.plain = std::string(256, 'x'); }), "too_long", "Texts.plain");
    isRefused(with<wire::Texts>([](auto& m) { m.ended = std::string("a\0", 2); }), "embedded_terminator", "Texts.ended");
    isRefused(with<wire::Lines>([](auto& m) { m.lines = {{"a", "1"}, {"a", "2"}}; }), "duplicate_key", "Lines.lines");
    isRefused(with<wire::Lines>([](auto& m) { m.lines = {{"a", "1\n"}}; }), "invalid_property", "Lines.lines");

    // Values that nest too deeply.
    wire::Tree tree;
    for (int i = 0; i < 3; i++) {
        wire::Tree outer;
        outer.branches.push_back(tree);
        tree = outer;
    }
    isRefused(with<wire::Deep>([&](auto& m) { m.tree = tree; }), "too_deep", "Deep.tree.branches[0].branches[0].branches[0]");
    isRefused(wire::Keeping(), "wrong_type", "Keeping.kept");
    isRefused(with<wire::Keeping>([](auto& m) { m.kept = wire::KeptRest{1, {}}; }), "known_case", "Keeping.kept.rest");

    // What may be absent.
    isRefused(with<wire::Conditions>([](auto& m) { m.named = true; }), "presence", "Conditions.name");
    wire::Grown grown;
    must(grown.ratio == 1.5 && grown.locale == "zh_CN" && grown.mood == wire::Mood::angry && grown.rights == (wire::Rights::high | wire::Rights::mute));
    must((grown.rights & wire::Rights::mute) == wire::Rights::mute);
    grown.campaign.emplace();
    isRefused(grown, "gap_before_optional", "Grown.invited_by");

    // Messages and headers.
    isRefused(wire::Message(), "wrong_type", "");
    isRefused(wire::UnknownMessage{1 << 24, {}}, "invalid_message_id", "");
    wire::Header header;
    must(header.priority == -1);
    header.session = 1 << 21;
    isRefused(wire::Sc_2(), "out_of_range", "packet.session", header);
    header.session = 0;
    header.sequence = 7;
    wire::Result<wire::Bytes> made = wire::encode(wire::Sc_2(), header);
    must(made);
    wire::Bytes more = *made;
    more.insert(more.end(), {1, 2, 3});
    const wire::Result<wire::Packet> packet = wire::decode(more, wire::Sender::server);
    must(packet && packet->byte_count == made->size() && packet->header.sequence == 7);
    // What is appended does not change what stands there, and the room is used again.
    wire::Bytes room = {9};
    room.reserve(1000);
    const std::uint8_t* const at = room.data();
    must(wire::append(room, packet->message, packet->header) && room[0] == 9 && room.data() == at);
    must(part(room, 1, room.size()) == *made);
    const std::size_t before = allocated;
    room.clear();
    must(wire::append(room, wire::Sc_2(), header) && allocated == before);

    // A message is copied, moved and compared as a value, whatever its size.
    wire::Message first = packet->message, second = first;
    must(first == second && first.get_if<wire::Sc_2>() && !first.get_if<wire::Cs_1>() && first.name() == "Sc_2");
    wire::Message third = std::move(first);
    must(third == second && third.id() == packet->message.id());
    third = wire::Message(grown);
    second = third;
    must(second == third && second.get_if<wire::Grown>()->campaign.has_value());
    second.get_if<wire::Grown>()->campaign.reset();
    must(second != third && !(second == packet->message));

    // No bytes of a peer make it fail in another way, whatever message they are for.
    for (std::uint64_t id = 0; id < 0x200; id++) {
        for (const int x : {0, 1, 0x7F, 0x80, 0xFF}) {
            const wire::Result<wire::Bytes> bytes = wire::encode(wire::UnknownMessage{id, wire::Bytes(300, static_cast<std::uint8_t>(x))});
            must(bytes);
            for (const wire::Sender sender : {wire::Sender::client, wire::Sender::server}) must(!wire::decode(*bytes, sender).needs_more());
        }
    }
    must((wire::Error{"truncated", "A.b", 7}.text()) == "A.b: truncated at offset 7");
    std::cout << "as expected\n";
}

}  // namespace peer
