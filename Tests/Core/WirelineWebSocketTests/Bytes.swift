// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import WirelineWebSocket

extension [UInt8] {
    init(copying bytes: RawSpan) {
        self = bytes.withUnsafeBytes { Array($0) }
    }

    /// The bytes in pieces of random lengths.
    func cut(using random: inout SeededGenerator, most: Int = 9) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = self[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...most, using: &random))
            pieces.append(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }

    /// The bytes whole, byte by byte, and in two pieces at every place.
    var everyCut: [[[UInt8]]] {
        [[self], map { [$0] }] + indices.dropFirst().map { [Array(self[..<$0]), Array(self[$0...])] }
    }
}

extension String {
    var bytes: [UInt8] { Array(utf8) }

    /// With the line ends of HTTP.
    var lines: [UInt8] {
        Array(split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n").utf8)
    }
}

extension WebSocketError {
    /// The same error, without the number of first bytes that had arrived when they were checked.
    var withoutFirstBytes: WebSocketError {
        guard case .notHTTP = self else { return self }
        return .notHTTP(firstBytes: [])
    }
}
