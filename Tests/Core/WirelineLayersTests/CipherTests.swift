// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec
import WirelineLayers

/// Ciphers, beside the vectors of their specifications and Python.
struct CipherTests {
    private static func bytes(_ text: String) throws -> [UInt8] { try Hexadecimal.bytes(of: text) }

    // MARK: Vectors

    /// RFC 6229: parts of keystreams, by their offsets.
    @Test(
        arguments: [
            (
                5,
                [
                    (0, "b2396305f03dc027ccc3524a0a1118a8"), (16, "6982944f18fc82d589c403a47a0d0919"),
                    (240, "28cb1132c96ce286421dcaadb8b69eae"), (256, "1cfcf62b03eddb641d77dfcf7f8d8c93"),
                    (4_096, "ff25b58995996707e51fbdf08b34d875"),
                ]
            ),
            (
                16,
                [
                    (0, "9ac7cc9a609d1ef7b2932899cde41b97"), (16, "5248c4959014126a6e8a84f11d1a9e1c"),
                    (240, "065902e4b620f6cc36c8589f66432f2b"), (256, "d39d566bc6bce3010768151549f3873f"),
                    (4_096, "a36a4c301ae8ac13610ccbc12256cacc"),
                ]
            ),
            (
                32,
                [
                    (0, "eaa6bd25880bf93d3f5d1e4ca2611d91"), (16, "cfa45c9f7e714b54bdfa80027cb14380"),
                    (240, "114ae344ded71b35f2e60febad727fd8"), (256, "02e1e7056b0f623900496422943e97b6"),
                    (4_096, "f3e4c0a2e02d1d01f7f0a74618af2b48"),
                ]
            ),
        ] as [(Int, [(Int, String)])])
    func `RC4 makes the keystreams of RFC 6229`(keyByteCount: Int, parts: [(Int, String)]) throws {
        var end = End(.rc4(key: "session"))
        try end.setKey("session", (1...UInt8(keyByteCount)).map { $0 })
        let stream = try end.open([UInt8](repeating: 0, count: 4_112))
        for (offset, part) in parts {
            #expect(Hexadecimal.text(of: Array(stream[offset..<offset + 16])) == part, "at \(offset)")
        }
    }

    /// NIST SP 800-38A, F.2 and F.5.
    private static let plaintext =
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17"
        + "ad2b417be66c3710"

    private static let keys = [
        "2b7e151628aed2a6abf7158809cf4f3c", "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
        "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
    ]

    @Test(
        arguments: zip(
            keys,
            [
                "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff5ae4df3edbd5d35e5b4f09020db03eab"
                    + "1e031dda2fbe03d1792170a0f3009cee",
                "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e941e36b26bd1ebc670d1bd1d665620abf7"
                    + "4f78a7f6d29809585a97daec58c6b050",
                "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c52b0930daa23de94ce87017ba2d84988d"
                    + "dfc9c58db67aada613c2dd08457941a6",
            ]))
    func `AES-CTR makes the blocks of NIST SP 800-38A`(key: String, ciphertext: String) throws {
        var opening = End(.aesCTR(key: "k", vector: .key("v")))
        var sealing = End(.aesCTR(key: "k", vector: .key("v")))
        let counter = try Self.bytes("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
        try opening.setKey("k", Self.bytes(key))
        try opening.setKey("v", counter)
        try sealing.setKey("v", counter)
        try sealing.setKey("k", Self.bytes(key))
        #expect(try Hexadecimal.text(of: sealing.seal(Self.bytes(Self.plaintext))) == ciphertext)
        #expect(try Hexadecimal.text(of: opening.open(Self.bytes(ciphertext))) == Self.plaintext)
    }

    @Test(
        arguments: zip(
            keys,
            [
                "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b273bed6b8e3c1743b7116e69e22229516"
                    + "3ff1caa1681fac09120eca307586e1a7",
                "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a571b242012fb7ae07fa9baac3df102e0"
                    + "08b0e27988598881d920a9e64f5615cd",
                "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d39f23369a9d9bacfa530e26304231461"
                    + "b2eb05e2c39be9fcda6c19078c6a9d1b",
            ]))
    func `AES-CBC makes the blocks of NIST SP 800-38A, and one of padding`(key: String, ciphertext: String) throws {
        var opening = End(.aesCBC(key: "k", vector: .key("v")))
        var sealing = End(.aesCBC(key: "k", vector: .key("v")))
        let vector = try Self.bytes("000102030405060708090a0b0c0d0e0f")
        for text in [Self.plaintext, Self.plaintext] {
            try opening.setKey("k", Self.bytes(key))
            try opening.setKey("v", vector)
            try sealing.setKey("k", Self.bytes(key))
            try sealing.setKey("v", vector)
            let sealed = try sealing.seal(Self.bytes(text))
            #expect(Hexadecimal.text(of: Array(sealed.dropLast(16))) == ciphertext)
            #expect(sealed.count == 80)
            #expect(try Hexadecimal.text(of: opening.open(sealed)) == text)
        }
    }

    // MARK: Python

    /// A kind, Python's name for sealing and opening, and the lengths of keys.
    static let kinds: [(kind: LayerKind, sealing: String, opening: String, keyByteCounts: [Int])] = [
        (.xor(key: "k"), "xor", "xor", [1, 2, 3, 4, 7, 8, 16, 63, 64, 65, 1_023, 1_024, 1_025, 5_000]),
        (.rc4(key: "k"), "rc4", "rc4", [5, 16, 32]),
        (.aesCTR(key: "k", vector: .key("v")), "ctr", "ctr", [16, 24, 32]),
        (.aesCBC(key: "k", vector: .key("v")), "seal-cbc", "open-cbc", [16, 24, 32]),
    ]

    @Test(.enabled(if: PythonTool.isWanted, "\(PythonTool.absence)"), arguments: kinds.indices)
    func `Python opens what is sealed, and what Python seals is opened`(index: Int) throws {
        let (kind, sealing, opening, keyByteCounts) = Self.kinds[index]
        var random = SeededGenerator.forThisRun()
        var (contents, sealed, opened): ([[UInt8]], [[UInt8]], [Peer.Question]) = ([], [], [])
        for keyByteCount in keyByteCounts {
            let (key, vector) = (random.bytes(keyByteCount), random.bytes(16))
            for content in [[UInt8]].samples(using: &random) {
                var end = End(kind)
                try end.setKey("k", key)
                if kind.keyNames.contains("v") { try end.setKey("v", vector) }
                let bytes = try end.seal(content)
                contents.append(content)
                sealed.append(bytes)
                opened.append(.init(operation: opening, bytes: bytes, key: key, vector: vector))
            }
        }
        #expect(try Peer.answer(opened) == contents, random.seedComment)
        let questions = zip(contents, opened).map { content, question in
            Peer.Question(operation: sealing, bytes: content, key: question.key, vector: question.vector)
        }
        #expect(try Peer.answer(questions) == sealed, random.seedComment)
        for (question, content) in zip(opened, contents) {
            var end = End(kind)
            try end.setKey("k", question.key)
            if kind.keyNames.contains("v") { try end.setKey("v", question.vector) }
            #expect(try end.open(question.bytes) == content, random.seedComment)
        }
    }

    // MARK: Keystreams over packets

    @Test(arguments: [LayerKind.rc4(key: "k"), .aesCTR(key: "k", vector: .key("v"))])
    func `a keystream goes on over packets, wherever they end`(kind: LayerKind) throws {
        var random = SeededGenerator.forThisRun()
        let (content, key, vector) = (random.bytes(100), random.bytes(16), random.bytes(16))
        func end() throws -> End {
            var end = End(kind)
            try end.setKey("k", key)
            if kind.keyNames.contains("v") { try end.setKey("v", vector) }
            return end
        }
        var whole = try end()
        let sealed = try whole.seal(content)
        for cut in 0...content.count {
            var sealing = try end()
            var opening = try end()
            let first = try sealing.seal(Array(content[..<cut]))
            let second = try sealing.seal(Array(content[cut...]))
            #expect(first + second == sealed, "\(cut), \(random.seedComment)")
            #expect(try opening.open(first) + opening.open(second) == content, "\(cut), \(random.seedComment)")
        }
    }

    @Test func `XOR and AES-CBC begin anew with each packet`() throws {
        for kind in [LayerKind.xor(key: "k"), .aesCBC(key: "k", vector: .key("v"))] {
            var end = End(kind)
            try end.setKey("k", Array(1...16))
            if kind.keyNames.contains("v") { try end.setKey("v", Array(1...16)) }
            let sealed = try end.seal([1, 2, 3])
            #expect(try end.seal([1, 2, 3]) == sealed)
        }
    }

    // MARK: A vector in the header

    @Test(arguments: [LayerKind.aesCTR(key: "k", vector: .field("iv")), .aesCBC(key: "k", vector: .field("iv"))])
    func `with a vector in the header, each packet begins with it`(kind: LayerKind) throws {
        var random = SeededGenerator.forThisRun()
        let (key, content) = (random.bytes(32), random.bytes(50))
        var sealing = End(kind)
        var opening = End(kind)
        try sealing.setKey("k", key)
        try opening.setKey("k", key)
        var headers: [PacketHeader] = []
        for _ in 0..<3 { headers.append(PacketHeader(values: ["iv": .bytes(random.bytes(16))])) }
        let sealed = try headers.map { try sealing.seal(content, $0) }
        #expect(Set(sealed).count == 3)
        // In another order: a packet depends on its own header only.
        for index in [2, 0, 1, 0] { #expect(try opening.open(sealed[index], headers[index]) == content) }
        #expect(opening.outcome(of: sealed[0]) == .failure(CodecError(.invalidHeaderField("iv"), path: "packet.k")))
        let short = PacketHeader(values: ["iv": .bytes([1, 2, 3])])
        #expect(opening.outcome(of: sealed[0], short).reason == .wrongByteCount(count: 3, expected: 16))
    }

    // MARK: Broken packets

    @Test func `bytes that are no whole blocks are refused`() throws {
        var end = End(.aesCBC(key: "k", vector: .key("v")))
        try end.setKey("k", Array(1...16))
        try end.setKey("v", Array(1...16))
        let sealed = try end.seal(Array(1...40))
        for count in 0..<sealed.count where count % 16 != 0 || count == 0 {
            let error = CodecError(.invalidLayer(.brokenBlock), path: "packet.k")
            #expect(end.outcome(of: Array(sealed[..<count])) == .failure(error))
        }
        #expect(try end.open(sealed) == Array(1...40))
    }

    @Test func `a flipped bit in any byte is a wrong padding or another content, and the next packet is read`() throws {
        var end = End(.aesCBC(key: "k", vector: .key("v")))
        try end.setKey("k", Array(1...16))
        try end.setKey("v", Array(1...16))
        let content = [UInt8](1...40)
        let sealed = try end.seal(content)
        var refusalCount = 0
        for index in sealed.indices {
            var flipped = sealed
            flipped[index] ^= 1
            let outcome = end.outcome(of: flipped)
            #expect(outcome != .success(content))
            if let reason = outcome.reason {
                #expect(reason == .invalidLayer(.wrongPadding))
                refusalCount += 1
            }
        }
        // A flip in the last block, or of the padding through the block before it.
        #expect(refusalCount >= 16)
        #expect(try end.open(sealed) == content)
    }
}

extension LayerKind {
    /// The names of its keys.
    var keyNames: [String] {
        switch self {
        case .xor(let key), .rc4(let key): [key]
        case .aesCTR(let key, .key(let vector)), .aesCBC(let key, .key(let vector)): [key, vector]
        case .aesCTR(let key, .field), .aesCBC(let key, .field): [key]
        default: []
        }
    }
}
