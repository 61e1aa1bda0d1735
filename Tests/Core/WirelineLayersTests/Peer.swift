// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// Python as the other end of a connection: it seals and opens many packets in one run.
enum Peer {
    /// What Python does with bytes.
    struct Question {
        let operation: String
        let bytes: [UInt8]
        var key: [UInt8] = []
        var vector: [UInt8] = []
    }

    private static let script = """
        import base64, sys, zlib, gzip, brotli
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
        from cryptography.hazmat.primitives.padding import PKCS7

        def raw(data):
            stream = zlib.compressobj(9, zlib.DEFLATED, -15)
            return stream.compress(data) + stream.flush()

        def dictionary(data):
            stream = zlib.compressobj(zdict=b"hello")
            return stream.compress(data) + stream.flush()

        def cbc(data, key, vector):
            padder = PKCS7(128).padder()
            cipher = Cipher(algorithms.AES(key), modes.CBC(vector)).encryptor()
            return cipher.update(padder.update(data) + padder.finalize()) + cipher.finalize()

        def open_cbc(data, key, vector):
            padder = PKCS7(128).unpadder()
            cipher = Cipher(algorithms.AES(key), modes.CBC(vector)).decryptor()
            return padder.update(cipher.update(data) + cipher.finalize()) + padder.finalize()

        operations = {
            "seal-zlib": lambda data, key, vector: zlib.compress(data, 6),
            "seal-deflate": lambda data, key, vector: raw(data),
            "seal-gzip": lambda data, key, vector: gzip.compress(data, 1),
            "seal-brotli": lambda data, key, vector: brotli.compress(data, quality=5),
            "seal-dictionary": lambda data, key, vector: dictionary(data),
            "open-zlib": lambda data, key, vector: zlib.decompress(data),
            "open-deflate": lambda data, key, vector: zlib.decompress(data, -15),
            "open-gzip": lambda data, key, vector: gzip.decompress(data),
            "open-brotli": lambda data, key, vector: brotli.decompress(data),
            "xor": lambda data, key, vector: bytes(byte ^ key[i % len(key)] for i, byte in enumerate(data)),
            "rc4": lambda data, key, vector: Cipher(algorithms.ARC4(key), None).encryptor().update(data),
            "ctr": lambda data, key, vector: Cipher(algorithms.AES(key), modes.CTR(vector)).encryptor().update(data),
            "seal-cbc": cbc,
            "open-cbc": open_cbc,
        }
        for line in sys.stdin:
            operation, *values = line.rstrip("\\n").split(" ")
            print(base64.b64encode(operations[operation](*map(base64.b64decode, values))).decode())
        """

    static func answer(_ questions: [Question]) throws -> [[UInt8]] {
        let lines = questions.map { question in
            [question.bytes, question.key, question.vector].reduce(question.operation) {
                $0 + " " + Data($1).base64EncodedString()
            }
        }
        let output = try PythonTool.run(script, input: lines.map { $0 + "\n" }.joined())
        var answers = output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(answers.popLast() == "")
        try #require(answers.count == questions.count)
        return try answers.map { Array(try #require(Data(base64Encoded: String($0)))) }
    }
}

extension [[UInt8]] {
    /// Contents of many lengths: noise, text that repeats, and zeros.
    static func samples(using random: inout SeededGenerator) -> [[UInt8]] {
        [0, 1, 2, 15, 16, 17, 100, 255, 256, 257, 1_000, 1_024, 4_096, 70_000].flatMap { count in
            let text = [UInt8]("a market in \(count) colours, ".utf8)
            return [
                random.bytes(count), (0..<count).map { text[$0 % text.count] }, [UInt8](repeating: 0, count: count),
            ]
        }
    }
}
