// SPDX-License-Identifier: Apache-2.0

internal import LayerAccess

/// A packet whose content is compressed or encrypted.
final class SealedPacket {
    let caseName: String
    let kind: OpeningLayer.Kind
    let content: [UInt8]
    let sealed: [UInt8]

    /// The most bytes that a content may have: what a schema allows by default.
    static let limit = 8 << 20

    static func all() throws -> [SealedPacket] {
        let key = (1...16).map { UInt8($0) }
        return [
            try SealedPacket(caseName: "layer_inflate_1k", .zlib, byteCount: 1 << 10),
            try SealedPacket(caseName: "layer_inflate_64k", .zlib, byteCount: 64 << 10),
            try SealedPacket(caseName: "layer_xor_1k", .xor(key: key), byteCount: 1 << 10),
            try SealedPacket(caseName: "layer_rc4_1k", .rc4(key: key), byteCount: 1 << 10),
        ]
    }

    private init(caseName: String, _ kind: OpeningLayer.Kind, byteCount: Int) throws {
        self.caseName = caseName
        self.kind = kind
        content = Self.text(byteCount: byteCount)
        sealed = try OpeningLayer(kind, limit: Self.limit).seal(content)
    }

    /// Lines as a server of live comments sends them: about a third of the bytes is left when they are compressed.
    private static func text(byteCount: Int) -> [UInt8] {
        let words = ["market", "danmaku", "hello", "gift", "level", "room", "\u{4F60}\u{597D}", "viewer"]
        var text = ""
        var number: UInt32 = 7
        while text.utf8.count < byteCount {
            number = number &* 1_664_525 &+ 1_013_904_223
            text += #"{"cmd":"\#(words[Int(number >> 29)])","uid":\#(number >> 8),"ts":\#(number >> 4)},"#
        }
        return Array(text.utf8.prefix(byteCount))
    }

    /// Makes a benchmark.
    ///
    /// - Parameter make: Begins with the state of the first packet, and returns what opens each packet.
    func benchmark(
        _ implementation: String, _ make: @escaping () throws -> (_ sealed: [UInt8]) throws -> [UInt8],
        once: @escaping (_ sealed: [UInt8]) throws -> Void
    ) -> Benchmark {
        Benchmark(
            caseName: caseName, implementation: implementation, byteCount: content.count, packetCount: 0,
            check: { [self] in
                try WrongResult.unlessEqual(try make()(sealed).elementsEqual(content), true)
            },
            repeats: { [self] count in
                for _ in 0..<count { try once(sealed) }
            })
    }
}
