// SPDX-License-Identifier: Apache-2.0

// Counts how many bytes a splitter takes for a packet of nearly 1 MiB that arrives byte by byte, and how long that takes.

#include "coder.hpp"

#include <ctime>

namespace peer {

inline void bytewise() {
    const wire::Result<wire::Bytes> packet = wire::encode(wire::UnknownMessage{7, wire::Bytes(1000000)});
    must(packet);
    const std::clock_t start = std::clock();
    const std::size_t before = allocated;
    wire::Splitter splitter(wire::Sender::client);
    std::size_t found = 0;
    for (std::size_t i = 0; i < 2 * packet->size(); i++) {
        splitter.push(packet->data() + i % packet->size(), 1);
        if (splitter.next()) found++;
    }
    must(found == 2);
    must(allocated - before < 20 * packet->size());
    // Many packets that are taken one at a time do not move either.
    const wire::Result<wire::Bytes> small = wire::encode(wire::UnknownMessage{7, {1}});
    const std::size_t until = allocated;
    for (int i = 0; i < 2000; i++) {
        splitter.push(*small);
        splitter.push(*small);
        must(splitter.next());
    }
    must(allocated - until < 200 * small->size() * 2000);
    must(static_cast<double>(std::clock() - start) < 20.0 * CLOCKS_PER_SEC);
    std::cout << "linear\n";
}

}  // namespace peer
