// SPDX-License-Identifier: Apache-2.0

internal import WirelineCodec
internal import WirelineLayers

/// One layer of Wireline, which programs get only as part of a connection.
///
/// For the compiler, this module belongs to Wireline's package, so it can use what other packages cannot.
public final class OpeningLayer {
    public enum Kind {
        case zlib
        /// Compresses as connections do.
        case brotli
        case xor(key: [UInt8])
        case rc4(key: [UInt8])
    }

    private var stack: LayerStack
    private let limit: Int

    /// - Parameter limit: The most bytes that a packet may become.
    public init(_ kind: Kind, limit: Int) throws {
        self.limit = limit
        switch kind {
        case .zlib: stack = LayerStack([.zlib], from: .client)
        case .brotli:
            var options = LayerOptions()
            options.brotliLevel = LayerOptions.liveBrotliLevel
            stack = LayerStack([.brotli], from: .client, options: options)
        case .xor(let key):
            stack = LayerStack([.xor(key: "key")], from: .client)
            try stack.setKey("key", key.span.bytes)
        case .rc4(let key):
            stack = LayerStack([.rc4(key: "key")], from: .client)
            try stack.setKey("key", key.span.bytes)
        }
    }

    /// Returns the content of a packet.
    public func open(_ sealed: [UInt8]) throws -> [UInt8] {
        var budget = InflationBudget(limit: limit)
        var content: [UInt8] = []
        try stack.open(sealed.span.bytes, PacketHeader(), within: &budget, into: &content)
        return content
    }

    /// Returns a content as the other end seals it.
    public func seal(_ content: [UInt8]) throws -> [UInt8] {
        var budget = InflationBudget(limit: limit)
        var sealed: [UInt8] = []
        try stack.seal(content.span.bytes, PacketHeader(), within: &budget, into: &sealed)
        return sealed
    }
}
