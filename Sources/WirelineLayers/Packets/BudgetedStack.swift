// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The layers of one end's packets, and what they may still make of the current packet.
struct BudgetedStack: ~Copyable {
    private var stack: LayerStack
    private var budget: InflationBudget
    let threshold: Int?

    init(_ stack: consuming LayerStack, limit: Int, threshold: Int?) {
        self.stack = stack
        budget = InflationBudget(limit: limit)
        self.threshold = threshold
    }

    /// Begins a packet that is inside of no other one.
    mutating func beginPacket() { budget = InflationBudget(limit: budget.limit) }

    mutating func setKey(_ name: String, _ bytes: RawSpan) throws(LayerKeyError) {
        try stack.setKey(name, bytes)
    }
}

extension BudgetedStack: LayerOpener {
    var contentLimit: Int { budget.limit }

    mutating func open(
        _ sealed: RawSpan, _ header: PacketHeader, layerAt index: Int
    ) throws(CodecError) -> [UInt8] {
        var content: [UInt8] = []
        try stack.open(sealed, header, applying: .layer(at: index), within: &budget, into: &content)
        return content
    }
}

extension BudgetedStack: LayerSealer {
    mutating func seal(
        _ content: RawSpan, _ header: PacketHeader, layerAt index: Int
    ) throws(CodecError) -> [UInt8] {
        var sealed: [UInt8] = []
        try stack.seal(content, header, applying: .layer(at: index), within: &budget, into: &sealed)
        return sealed
    }
}
