// SPDX-License-Identifier: Apache-2.0

// Whether a content is compressed.

#include "coder.hpp"

namespace peer {

inline void threshold() {
    std::string text;
    for (int i = 0; i < 20; i++) text += "again and again ";
    const auto connection = [](bool isCompressed) {
        wire::Connection made = adapter::connectionOf(Json());
        made.compressed = isCompressed;
        return made;
    };
    const auto count = [&](wire::Connection& c, const std::string& own, const wire::Header& header) {
        wire::Chat chat;
        chat.text = own;
        const wire::Result<wire::Bytes> b = wire::encode(c, chat, header);
        must(b);
        wire::Connection other = connection(true);
        const wire::Result<wire::Packet> packet = wire::decode(other, *b, wire::Sender::client);
        must(packet && packet->get_if<wire::Chat>()->text == own);
        return *packet->header.data_length;
    };
    // Without a threshold, the program says which packets are compressed.
    wire::Connection plain = connection(true);
    must(count(plain, text, wire::Header()) == 0);
    wire::Header header;
    header.data_length = 1;
    must(count(plain, text, header) == 323);
    must(count(plain, "a", header) == 3);
    for (const std::size_t most : {std::size_t{0}, std::size_t{323}, std::size_t{324}}) {
        wire::Connection own = connection(true);
        own.threshold = most;
        must((count(own, text, wire::Header()) == 323) == (most <= 323));
        must((count(own, "a", wire::Header()) == 3) == (most == 0));
        header.data_length = 0;
        must(count(own, text, header) == 0);
    }
    std::cout << "as expected\n";
}

}  // namespace peer
