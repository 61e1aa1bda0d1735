// SPDX-License-Identifier: Apache-2.0

// Asks functions of the runtime: each line has a word, and the bytes that it gets.

#include "runtime.hpp"

#include <cstdio>
#include <cstdlib>
#include <iostream>

using namespace runtime::detail;

static std::string answer(const std::string& word, View v) {
    const std::pair<const char*, std::uint64_t (*)(View)> sums[] = {
        {"crc32", crc32}, {"crc32c", crc32c}, {"adler32", adler32}, {"sum8", sum8}, {"xor8", xor8}, {"crc16_arc", crc16_arc},
        {"crc16_modbus", crc16_modbus}, {"crc16_kermit", crc16_kermit}, {"crc16_x25", crc16_x25}, {"crc16_xmodem", crc16_xmodem},
        {"crc16_ccitt_false", crc16_ccitt_false},
    };
    for (const auto& sum : sums) if (word == sum.first) return std::to_string(sum.second(v));
    Reader r(v);
    std::string found;
    if (word == "varint") found = std::to_string(r.varint(5, "f"));
    if (word == "zigzag") found = std::to_string(r.zigzag(5, "f"));
    if (word == "f16") found = std::to_string(static_cast<std::int64_t>(r.f16("f") * 16777216));
    if (word == "text") {
        char pair[3];
        for (const char c : r.text(v.count, "f")) {
            std::snprintf(pair, sizeof pair, "%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
            found += pair;
        }
    }
    return r.failed ? std::string(r.error.kind) : found;
}

int main() {
    std::string word, digits;
    while (std::cin >> word >> digits) {
        runtime::Bytes b;
        for (std::size_t i = 0; i < digits.size(); i += 2) b.push_back(static_cast<std::uint8_t>(std::strtoul(digits.substr(i, 2).c_str(), nullptr, 16)));
        std::cout << answer(word, b) << "\n";
    }
}
