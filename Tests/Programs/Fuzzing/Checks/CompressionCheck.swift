// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import WirelineCodec
import WirelineLayers

/// Bytes are opened as a compressed layer, and sealed and opened as content.
///
///     +-----------+-------- - - -
///     | 2 limit   | bytes
///     +-----------+-------- - - -
///
/// What is opened is within the limit, the limit is exact, the stream is whole and alone, and what was refused leaves
/// nothing after.
struct CompressionCheck {
    private let kind: LayerKind

    static func check(_ bytes: [UInt8], _ kind: LayerKind) throws(Finding) {
        var input = Input(bytes)
        let limit = Int(input.byte()) << 8 | Int(input.byte())
        let check = CompressionCheck(kind: kind)
        try check.open(Array(input.rest), limit)
        try check.seal(Array(input.rest))
    }

    private func open(_ sealed: [UInt8], _ limit: Int) throws(Finding) {
        var end = LayerEnd([kind])
        let outcome = end.open(sealed, limit: limit)
        switch outcome {
        case .success(let content):
            try require(content.count <= limit, "\(content.count) bytes, over the limit of \(limit)")
            let longer = end.open(sealed + [0], limit: limit)
            try require(longer.reason == .trailingBytes(count: 1), "a byte more makes \(longer)")
            // With a byte less than a stream needs to end, there is no whole stream.
            let shorter = end.open(Array(sealed.dropLast()), limit: limit)
            try require(shorter.reason == .invalidLayer(.cut), "a byte less makes \(shorter)")
            try require(end.open(sealed, limit: content.count) == outcome, "the limit is not exact")
            if !content.isEmpty {
                let short = end.open(sealed, limit: content.count - 1)
                try require(short.reason == .inflatedTooLong(limit: content.count - 1), "under the limit \(short)")
            }
        case .failure(let error):
            switch error.reason {
            case .invalidLayer(.cut), .invalidLayer(.damaged), .trailingBytes, .inflatedTooLong(limit): break
            default: throw Finding("refused with \(error)")
            }
        }
        try require(end.open(sealed, limit: limit) == outcome, "another result the second time")
    }

    private func seal(_ content: [UInt8]) throws(Finding) {
        var sealing = LayerEnd([kind])
        var opening = LayerEnd([kind])
        for content in [content, content + content] {
            guard case .success(let sealed) = sealing.seal(content) else { throw Finding("not sealed") }
            let opened = opening.open(sealed, limit: content.count)
            try require(opened == .success(content), "sealed, but opened as \(opened)")
        }
    }
}

/// One end's layers.
struct LayerEnd: ~Copyable {
    private var stack: LayerStack

    init(_ kinds: [LayerKind]) {
        var options = LayerOptions()
        options.brotliLevel = 5
        stack = LayerStack(kinds, from: .client, options: options)
    }

    mutating func setKey(_ name: String, _ bytes: [UInt8]) throws(Finding) {
        do throws(LayerKeyError) {
            try stack.setKey(name, bytes.span.bytes)
        } catch {
            throw Finding("\(error)")
        }
    }

    mutating func open(_ sealed: [UInt8], limit: Int = 1 << 20) -> Result<[UInt8], CodecError> {
        var budget = InflationBudget(limit: limit)
        return Result { () throws(CodecError) in
            var content: [UInt8] = []
            try stack.open(sealed.span.bytes, PacketHeader(), within: &budget, into: &content)
            return content
        }
    }

    mutating func seal(_ content: [UInt8], limit: Int = 1 << 20) -> Result<[UInt8], CodecError> {
        var budget = InflationBudget(limit: limit)
        return Result { () throws(CodecError) in
            var sealed: [UInt8] = []
            try stack.seal(content.span.bytes, PacketHeader(), within: &budget, into: &sealed)
            return sealed
        }
    }
}

extension Result where Success == [UInt8], Failure == CodecError {
    var reason: CodecError.Reason? {
        guard case .failure(let error) = self else { return nil }
        return error.reason
    }
}
