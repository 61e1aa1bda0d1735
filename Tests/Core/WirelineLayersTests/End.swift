// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLayers

/// One end's stack, for the packets of the client.
struct End: ~Copyable {
    private var stack: LayerStack
    private let limit: Int

    init(_ kinds: LayerKind..., limit: Int = 1 << 20, options: LayerOptions = LayerOptions()) {
        stack = LayerStack(kinds, from: .client, options: options)
        self.limit = limit
    }

    mutating func setKey(_ name: String, _ bytes: [UInt8]) throws(LayerKeyError) {
        try stack.setKey(name, bytes.span.bytes)
    }

    mutating func open(
        _ sealed: [UInt8], _ header: PacketHeader = PacketHeader(), applying: LayerSet = .all
    ) throws(CodecError) -> [UInt8] {
        var budget = InflationBudget(limit: limit)
        return try stack.opened(sealed, header, applying: applying, within: &budget)
    }

    mutating func seal(
        _ content: [UInt8], _ header: PacketHeader = PacketHeader(), applying: LayerSet = .all
    ) throws(CodecError) -> [UInt8] {
        var budget = InflationBudget(limit: limit)
        return try stack.sealed(content, header, applying: applying, within: &budget)
    }

    /// What opening bytes comes to, as a value that can be compared.
    mutating func outcome(
        of sealed: [UInt8], _ header: PacketHeader = PacketHeader()
    ) -> Result<[UInt8], CodecError> {
        Result { () throws(CodecError) in try open(sealed, header) }
    }
}

extension LayerStack {
    mutating func opened(
        _ sealed: [UInt8], _ header: PacketHeader = PacketHeader(), applying: LayerSet = .all,
        within budget: inout InflationBudget
    ) throws(CodecError) -> [UInt8] {
        var content: [UInt8] = []
        try open(sealed.span.bytes, header, applying: applying, within: &budget, into: &content)
        return content
    }

    mutating func sealed(
        _ content: [UInt8], _ header: PacketHeader = PacketHeader(), applying: LayerSet = .all,
        within budget: inout InflationBudget
    ) throws(CodecError) -> [UInt8] {
        var sealed: [UInt8] = []
        try seal(content.span.bytes, header, applying: applying, within: &budget, into: &sealed)
        return sealed
    }
}

extension Result where Success == [UInt8], Failure == CodecError {
    var reason: CodecError.Reason? {
        guard case .failure(let error) = self else { return nil }
        return error.reason
    }
}
