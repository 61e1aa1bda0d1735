// SPDX-License-Identifier: Apache-2.0

// Connections whose packets share keystreams.

#include "coder.hpp"

namespace peer {

inline wire::Connection ciphered() {
    wire::Connection made = adapter::connectionOf(Json());
    must(!made.set_key("StreamKey", {1, 2, 3}) && !made.set_key("blockKey", wire::Bytes(32)) && !made.set_key("blockStart", wire::Bytes(16)));
    must(!made.set_key("counterKey", wire::Bytes(24)) && !made.set_key("counterStart", wire::Bytes(16, 0xFF)));
    return made;
}

inline void isError(const std::optional<wire::Error>& error, std::string_view kind, std::string_view path) { must(error && error->kind == kind && error->path == path && error->offset == -1); }

inline wire::Say say(const std::string& text) {
    wire::Say m;
    m.text = text;
    return m;
}

inline void keystreams() {
    wire::Connection writer = ciphered(), reader = ciphered();
    wire::Header streamed;
    streamed.streamed = true;
    const auto send = [&](const std::string& text) {
        const wire::Result<wire::Bytes> b = wire::encode(writer, say(text), streamed, wire::Sender::client);
        must(b);
        return *b;
    };
    const auto receive = [&](const wire::Bytes& b) {
        const wire::Result<wire::Packet> packet = wire::decode(reader, b, wire::Sender::client);
        must(packet && packet->get_if<wire::Say>());
        return packet->get_if<wire::Say>()->text;
    };
    must(receive(send("one")) == "one");
    // A packet that fails moves no keystream, neither when writing nor when reading.
    wire::Header group;
    group.kind = wire::Kind_::group;
    wire::InnerPackets both;
    both.id = 9;
    both.packets = {{say("ok"), streamed, 0}, {say(std::string(70000, 'x')), streamed, 0}};
    const wire::Result<wire::Bytes> none = wire::encode(writer, both, group, wire::Sender::client);
    must(none.failed());
    isError(none.error(), "too_long", "packets[1].Say.text");
    const wire::Bytes second = send("two");
    for (std::size_t i = 0; i < second.size(); i++) {
        wire::Bytes damaged = second;
        damaged[i] ^= 64;
        must(!wire::decode(reader, damaged, wire::Sender::client));
    }
    must(receive(second) == "two");
    // The other side has keystreams of its own.
    const wire::Result<wire::Bytes> answer = wire::encode(reader, say("three"), streamed, wire::Sender::server);
    must(answer);
    const wire::Result<wire::Packet> answered = wire::decode(writer, *answer, wire::Sender::server);
    must(answered && answered->get_if<wire::Say>()->text == "three");
    // A key that is set again begins its keystream anew, for one side or for both.
    must(!writer.set_key("StreamKey", {1, 2, 3}, wire::Sender::server));
    must(receive(send("four")) == "four");
    must(!writer.set_key("StreamKey", {1, 2, 3}, wire::Sender::client) && !reader.set_key("StreamKey", {1, 2, 3}));
    must(receive(send("five")) == "five");

    isError(writer.set_key("streamKey", {}), "unknown_key", "key.streamKey");
    isError(writer.set_key("blockKey", wire::Bytes(17)), "wrong_key", "key.blockKey");
    isError(writer.set_key("StreamKey", {}), "wrong_key", "key.StreamKey");
    wire::Header blocks;
    blocks.blocks = true;
    wire::Connection without = adapter::connectionOf(Json());
    const auto lacks = [&](const char* path, const wire::Header& header, wire::Sender sender) {
        const wire::Result<wire::Bytes> made = wire::encode(without, wire::Say(), header, sender);
        must(made.failed());
        isError(made.error(), "layer_unavailable", path);
    };
    lacks("packet.counterKey", blocks, wire::Sender::client);
    must(!without.set_key("counterKey", wire::Bytes(16)));
    lacks("packet.counterKey", blocks, wire::Sender::client);
    must(!without.set_key("counterStart", wire::Bytes(16), wire::Sender::client));
    lacks("packet.blockKey", blocks, wire::Sender::client);
    must(wire::encode(without, wire::Say(), wire::Header(), wire::Sender::client));
    lacks("packet.counterKey", wire::Header(), wire::Sender::server);
    without.aes = nullptr;
    lacks("packet.counterKey", wire::Header(), wire::Sender::client);
    std::cout << "as expected\n";
}

}  // namespace peer
