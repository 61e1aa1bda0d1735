// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The layers of one end's packets, and what they may still make of the current packet.
struct BudgetedStack: ~Copyable {
    private var stack: LayerStack
    private var budget: InflationBudget
    let threshold: Int?
    /// Says when opening stops; nil: never.
    var pace: (any OpeningPace)?
    /// Whether the opening of a packet was stopped. It is then opened again, as if for the first time.
    private(set) var isStopped = false
    /// What was inside of the layers of the packet that were opened before a stop, the outermost first.
    private var opened: [[UInt8]] = []
    /// How many of them were taken since the packet began, or began again.
    private var takenCount = 0
    /// The contents that were compressed before the packet is sealed.
    var ahead: AheadCompression?
    /// Whether the packet is sealed only to find out what to compress ahead.
    var isLooking = false
    /// Whether the packet that is sealed stands inside of another one.
    var sealsNested = false

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

    // MARK: Stops

    /// Begins to open a packet, or begins again after a stop.
    mutating func begin() { (isStopped, takenCount) = (false, 0) }

    /// Ends the opening of a packet, unless it was stopped.
    mutating func end() {
        guard !isStopped else { return }
        opened = []
        stack.endPacket()
    }

    /// Drops the packet whose opening was stopped.
    mutating func drop() {
        isStopped = false
        end()
    }

    /// The memory of what was opened before a stop.
    var openingByteCount: Int { opened.reduce(stack.openingByteCount) { $0 + $1.count } }

    /// Drops what was made of a packet whose opening was stopped; it is made anew.
    mutating func dropOpening() { stack.dropOpening() }
}

extension BudgetedStack: LayerOpener {
    var contentLimit: Int { budget.limit }

    mutating func open(
        _ sealed: RawSpan, _ header: PacketHeader, layerAt index: Int
    ) throws(CodecError) -> [UInt8] {
        guard let pace else { return try openAtOnce(sealed, header, index) }
        defer { takenCount += 1 }
        if takenCount < opened.count { return opened[takenCount] }
        guard stack.isCompression(at: index) else { return kept(try openAtOnce(sealed, header, index)) }
        if let content = try stack.openCompression(sealed, at: index, within: &budget, at: pace) {
            return kept(content)
        }
        isStopped = true
        // The caller looks at `isStopped`, and drops this error.
        throw CodecError(.invalidLayer(.cut))
    }

    /// Keeps what is inside of a layer for the case that a later layer stops.
    private mutating func kept(_ content: [UInt8]) -> [UInt8] {
        if stack.layerCount > 1 { opened.append(content) }
        return content
    }

    private mutating func openAtOnce(
        _ sealed: RawSpan, _ header: PacketHeader, _ index: Int
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
        if let ahead {
            if let sealed = ahead.sealed(content, at: index) {
                try budget.take(content.byteCount)
                return sealed
            }
            if isLooking {
                let work = sealsNested ? nil : try stack.beginSealing(content.byteCount, at: index)
                try ahead.stop(at: index, content, work)
            }
        }
        var sealed: [UInt8] = []
        try stack.seal(content, header, applying: .layer(at: index), within: &budget, into: &sealed)
        return sealed
    }
}
