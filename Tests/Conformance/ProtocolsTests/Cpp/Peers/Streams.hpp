// SPDX-License-Identifier: Apache-2.0

// A part of a message, which is not read, sets no state, whatever its ID; the message does.

#include "coder.hpp"

namespace peer {

inline void parts() {
    wire::Connection sender, receiver;
    const auto send = [&](const wire::Bytes& payload, std::uint8_t kind) {
        wire::Header header;
        header.kind = kind;
        const wire::Result<wire::Bytes> b = wire::encode(sender, wire::UnknownMessage{2, payload}, header, wire::Sender::client);
        must(b);
        const wire::Result<wire::Packet> packet = wire::decode(receiver, *b, wire::Sender::client);
        must(packet);
        return packet->message;
    };
    const wire::Message part = send({'p', 'a', 'r', 't'}, 8);
    must(part.get_if<wire::UnknownMessage>() && part.get_if<wire::UnknownMessage>()->payload.size() == 4 && sender.phase == 0 && receiver.phase == 0);
    must(send({}, 0).get_if<wire::Pause>() && sender.phase == 1 && receiver.phase == 1);
    std::cout << "as expected\n";
}

}  // namespace peer
