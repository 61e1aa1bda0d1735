// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLayers
import WirelineTransport

/// The layers of a connection's packets, in both directions, with their keys and keystreams.
///
/// Only the connection's loop uses this. The opener and the sealer are made when the first packet needs them.
final class LayeredTraffic {
    private let layout: PacketLayout
    private let side: Sender
    private let packetLimit: Int
    private var settings: LayerSettings
    private let loop: EventLoop
    /// Whether packets are checked before they are sealed: an error while sealing would move a keystream that the peer
    /// does not move.
    private let triesFirst: Bool
    /// The reason why no further packet can be sealed: a keystream has moved for a packet that was not sent.
    private var failure: CodecError?
    private var opener: PacketOpener?
    private var sealer: PacketSealer?
    /// Opens the packets of this end, for a log; nil without one.
    private(set) var sent: SentPackets?
    /// The packets that later turns seal.
    var deferred = DeferredPackets()
    /// The start of the work that is not counted yet.
    private var workStart = MonotonicTime(nanoseconds: 0)

    init(_ layout: PacketLayout, side: Sender, packetLimit: Int, options: LayerOptions, on loop: EventLoop) {
        self.layout = layout
        self.side = side
        self.packetLimit = packetLimit
        settings = LayerSettings(options: options)
        self.loop = loop
        triesFirst = layout.content.layers.contains { !$0.kind.isSharable }
    }

    func begin(with settings: LayerSettings) {
        self.settings = settings
        opener = nil
        sealer = nil
        if sent != nil { showSent() }
    }

    /// Prepares to open this end's packets, for a log. Call it before the first packet.
    func showSent() {
        sent = SentPackets(layout, from: side, packetLimit: packetLimit, settings: settings, on: loop)
    }

    /// Sets a key. Its keystreams start anew with the next packet that is opened or sealed.
    ///
    /// - Parameter sender: The end whose packets use the key; nil for both.
    func setKey(_ name: String, _ bytes: [UInt8], for sender: Sender?) throws(LayerKeyError) {
        makeBoth()
        if sender != side { try opener?.setKey(name, bytes.rawSpan) }
        guard sender != side.peer else { return }
        try sealer?.setKey(name, bytes.rawSpan)
        sent?.setKey(name, bytes)
    }

    /// Opens a packet of the peer, but not the packets inside it.
    func open(_ packet: borrowing Packet, _ states: PacketStates) -> OpenedPackets {
        makeBoth()
        beginWork()
        defer { endOpening() }
        return opener?.begin(packet, states: states, copiesPlain: false, at: self) ?? OpenedPackets()
    }

    /// Whether packets inside the last one, or that one itself (``isStopped``), are still to be opened.
    var isOpening: Bool { opener?.isOpening ?? false }

    /// Whether opening a packet takes more time than this turn has. The same call continues it.
    var isStopped: Bool { opener?.isStopped ?? false }

    /// The most bytes of an opened packet; nil if it has no more than the packet.
    var mostInflatedByteCount: Int? {
        layout.content.isCompressed ? max(layout.content.maximumInflatedByteCount, packetLimit) : nil
    }

    /// Whether a packet needs no opening.
    func isPlain(_ packet: borrowing Packet) -> Bool {
        makeBoth()
        return (try? opener?.openPlain(packet)) != nil
    }

    /// Stands for the block of a packet whose content is opened.
    var noBlock: SharedBlock { loop.compression.noBlock }

    /// Lets other connections of the loop open their long packets; opening this one starts anew.
    func interruptOpening() {
        opener?.dropOpening()
        loop.compression.endWork(of: self)
    }

    /// The bytes of the packets around the next one, and of a packet that is not completely opened.
    var openingByteCount: Int { opener?.openingByteCount ?? 0 }

    var hasSpentShare: Bool { loop.hasSpentShare }

    /// Opens the next packet inside.
    func openNext(_ opened: inout OpenedPackets) {
        beginWork()
        defer { endOpening() }
        opener?.openNext(&opened, at: self)
    }

    private func endOpening() {
        spendSoFar()
        if !isStopped { loop.compression.endWork(of: self) }
    }

    /// Drops the partial result of a packet that is not completely opened; opening starts anew.
    func dropOpening() { opener?.dropOpening() }

    /// Drops opened packets that were taken.
    func dropTaken(of opened: inout OpenedPackets) { opener?.dropTaken(of: &opened) }

    /// Opens no further packets inside the last one.
    func stopOpening() {
        opener?.stop()
        loop.compression.endWork(of: self)
    }

    // MARK: Sealing

    func compress(_ packet: UnsealedPacket, _ states: PacketStates, _ ahead: AheadCompression) {
        makeBoth()
        beginWork()
        defer { spendSoFar() }
        guard ahead.isLooking else { return ahead.step() }
        sealer?.look(ahead: ahead) { sealer throws(CodecError) in _ = try packet.sealed(with: &sealer, states) }
    }

    /// Refuses a packet that cannot be sent in these states, before any layer works on it.
    func requireSealable(_ packet: UnsealedPacket, _ states: PacketStates) throws(CodecError) {
        if let failure { throw failure }
        try packet.requireSealable(
            from: side, states, in: layout, limit: packetLimit, threshold: settings.options.threshold)
    }

    /// Whether a keystream may have moved for a packet that could not be sealed.
    func mayHaveMoved(for error: CodecError) -> Bool {
        if failure != nil { return true }
        guard triesFirst, case .layerUnavailable(let need) = error.reason else { return false }
        switch need {
        case .key(let name, _), .transform(let name):
            // If all ciphers and transforms lack the same, none has begun.
            return layout.content.layers.contains { !$0.kind.isSharable && $0.kind.name != name }
        case .library, .connection: return true
        }
    }

    /// Seals a packet, which must be sent next.
    ///
    /// - Parameter ahead: The part of the packet that was compressed before.
    func seal(
        _ packet: UnsealedPacket, _ states: PacketStates, _ ahead: AheadCompression? = nil
    ) throws(CodecError) -> [UInt8] {
        if let failure { throw failure }
        if triesFirst { try requireSealable(packet, states) }
        do throws(CodecError) {
            return try withSealer { sealer throws(CodecError) in
                try sealer.use(ahead) { sealer throws(CodecError) in try packet.sealed(with: &sealer, states) }
            } ?? []
        } catch {
            if case .layerUnavailable = error.reason { throw error }
            if triesFirst { failure = error }
            throw error
        }
    }

    /// Calls a closure with the sealer. The packet that it seals must be sent next.
    func withSealer<Result, Failure: Error>(
        _ body: (inout PacketSealer) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        makeBoth()
        beginWork()
        defer { spendSoFar() }
        let result = try sealer?.use(body)
        sent?.noteSealed()
        return result
    }

    /// Counts the time since `start` as the connection's work: a few bytes can mean much of it.
    func spend(since start: MonotonicTime) {
        loop.note(.layerPassed)
        loop.spend(Int(clamping: MonotonicTime.now.nanoseconds - start.nanoseconds))
    }

    private func beginWork() { workStart = .now }

    private func spendSoFar() {
        spend(since: workStart)
        workStart = .now
    }

    private func makeBoth() {
        guard opener == nil else { return }
        let states = loop.compression.states
        var settings = settings
        settings.options.brotliLevel = settings.options.brotliLevel ?? LayerOptions.liveBrotliLevel
        opener = PacketOpener(layout, from: side.peer, packetLimit: packetLimit, settings: settings, states: states)
        sealer = PacketSealer(layout, from: side, packetLimit: packetLimit, settings: settings, states: states)
    }
}

extension LayeredTraffic: OpeningSchedule {
    /// At least as much as a connection may spend in a turn.
    private static var moreThanShare: Int { 1 << 20 }

    var mustStop: Bool {
        spendSoFar()
        return loop.hasSpentShare
    }

    func mayKeepUnfinished() -> Bool {
        if loop.compression.beginWork(of: self, at: loop.now) { return true }
        // The connection tries again in a later turn.
        loop.spend(Self.moreThanShare)
        return false
    }
}
