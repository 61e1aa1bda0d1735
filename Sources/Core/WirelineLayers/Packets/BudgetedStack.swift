// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The layers of one end's packets, and the budget of the current packet.
struct BudgetedStack: ~Copyable {
    private var stack: LayerStack
    private var budget: InflationBudget
    let threshold: Int?
    /// Decides when opening stops; nil: never.
    var schedule: (any OpeningSchedule)?
    /// Whether the opening of a packet was stopped. The caller then opens it again, as if for the first time.
    private(set) var isStopped = false
    /// The contents of the layers that were opened before a stop, the outermost first.
    private var opened: [[UInt8]] = []
    /// The number of these contents that were used since the packet began, or began again.
    private var takenCount = 0
    /// The contents that were compressed before the packet is sealed.
    var ahead: AheadCompression?
    /// Whether the packet is sealed only to find the contents to compress ahead.
    var isLooking = false
    /// Whether the packet to seal stands inside another one.
    var sealsNested = false

    init(_ stack: consuming LayerStack, limit: Int, threshold: Int?) {
        self.stack = stack
        budget = InflationBudget(limit: limit)
        self.threshold = threshold
    }

    /// The packet must not be inside another one.
    mutating func beginPacket() { budget = InflationBudget(limit: budget.limit) }

    mutating func setKey(_ name: String, _ bytes: RawSpan) throws(LayerKeyError) {
        try stack.setKey(name, bytes)
    }

    // MARK: Stops

    /// Also begins again after a stop.
    mutating func begin() { (isStopped, takenCount) = (false, 0) }

    /// Does nothing if the opening was stopped.
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

    /// The memory of the contents opened before a stop.
    var openingByteCount: Int { opened.reduce(stack.openingByteCount) { $0 + $1.count } }

    /// Drops the partial content of a stopped packet; the next call starts anew.
    mutating func dropOpening() { stack.dropOpening() }
}

extension BudgetedStack: LayerOpener {
    var contentLimit: Int { budget.limit }

    mutating func open(
        _ sealed: RawSpan, _ header: PacketHeader, layerAt index: Int
    ) throws(CodecError) -> [UInt8] {
        guard let schedule else { return try openAtOnce(sealed, header, index) }
        defer { takenCount += 1 }
        if takenCount < opened.count { return opened[takenCount] }
        guard stack.isCompression(at: index) else { return kept(try openAtOnce(sealed, header, index)) }
        if let content = try stack.openCompression(sealed, at: index, within: &budget, at: schedule) {
            return kept(content)
        }
        isStopped = true
        // The caller tests `isStopped`, and drops this error.
        throw CodecError(.invalidLayer(.cut))
    }

    /// Keeps the content of a layer, in case a later layer stops.
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
