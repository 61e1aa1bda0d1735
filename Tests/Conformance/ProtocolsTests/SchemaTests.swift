// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolsSupport
import Testing
import WirelineSchema

/// The `.wire` files of all protocols.
struct SchemaTests {
    @Test(arguments: ProtocolFolder.all)
    func `a protocol is checked without an error or a warning`(folder: ProtocolFolder) {
        #expect(folder.problems.isEmpty, "\(folder.problems)")
    }

    /// The protocols show the whole language: if none of them uses a part of it, no vector tests that part.
    @Test(
        arguments: [
            "uint8", "uint16", "uint24", "uint32", "uint64", "int8", "int16", "int24", "int32", "int64", "float16",
            "float32", "float", "float64", "double", "bool", "string", "String", "bytes", "varint", "properties",
            "zigzag", "varint32", "varint64", "repeated",
            "optional", "enum", "flags", "struct", "const", "reserved", "option", "packet", "payload", "message",
            "sized(uint8)", "sized(uint16)", "sized(uint32)", "sized(varint)",
            "byte_order", "string_count", "list_count", "max_packet", "max_depth", "trailing", "lenient",
            "@id", "@from(client)", "@from(server)", "@from(both)", "@reply", "@name", "@deprecated", "@sensitive",
            "@closed", "@count(uint8)", "@count(uint16)", "@count(uint32)", "@count(varint)", "@terminated", "@rest",
            "@little", "@big", "@range", "@max", "@since", "@default", "@max_bytes", "@length(packet)",
            "@length(packet - 2)", "@length(payload)", "@length(rest)", "@constant", "@sequence", "@checksum(crc32)",
            "@header", "bit", "uint31", "@checksum(crc32,", "@checksum(crc32c,", "@checksum(crc16_arc,",
            "@checksum(crc16_modbus,",
            "@checksum(crc16_ccitt_false,", "@checksum(crc16_xmodem,", "@checksum(crc16_kermit,",
            "@checksum(crc16_x25,", "@checksum(adler32, rest)", "@checksum(sum8)", "@checksum(xor8,",
        ])
    func `every part of the language is used by some protocol`(word: String) throws {
        let texts = try ProtocolFolder.all.flatMap { $0.files(extension: "wire") }.map { file in
            try String(contentsOf: file, encoding: .utf8).replacing(#/\/\/.*|\/\*.*?\*\//#, with: "")
        }
        let users = texts.filter { text in
            text.ranges(of: word).contains { range in
                let before = text[..<range.lowerBound].last.map { $0.isLetter || $0 == "_" } ?? false
                let after = text[range.upperBound...].first.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false
                return !before && !after
            }
        }
        #expect(!users.isEmpty)
    }
}
