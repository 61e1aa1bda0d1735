// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLayers
import WirelineTransport

/// The layers of a connection's packets, in both directions, with their keys and keystreams.
///
/// Only the connection's loop uses this. What does the work is made when the first packet needs it.
final class LayeredTraffic {
    private let layout: PacketLayout
    private let side: Sender
    private let packetLimit: Int
    private var settings: LayerSettings
    private let loop: EventLoop
    /// Whether packets are tried before they are sealed: an error in between would leave a keystream where no peer has it.
    private let triesFirst: Bool
    /// Why no further packet can be sealed: a keystream has moved for one that was not sent.
    private var failure: CodecError?
    private var opener: PacketOpener?
    private var sealer: PacketSealer?
    /// Opens what this end has sent, for a log; nil without one.
    private(set) var sent: SentPackets?

    /// - Parameter side: Which end this is.
    init(_ layout: PacketLayout, side: Sender, packetLimit: Int, options: LayerOptions, on loop: EventLoop) {
        self.layout = layout
        self.side = side
        self.packetLimit = packetLimit
        settings = LayerSettings(options: options)
        self.loop = loop
        triesFirst = layout.content.layers.contains { !$0.kind.isSharable }
    }

    /// Sets the keys and options with which the connection begins.
    func begin(with settings: LayerSettings) {
        self.settings = settings
        opener = nil
        sealer = nil
        if sent != nil { showSent() }
    }

    /// Prepares to open what this end sends, for a log. Call it before the first packet.
    func showSent() {
        sent = SentPackets(layout, from: side, packetLimit: packetLimit, settings: settings)
    }

    /// Sets a key, whose keystreams start anew with the next packet that is opened or sealed.
    ///
    /// - Parameter sender: Whose packets the key is for; nil for those of both ends.
    func setKey(_ name: String, _ bytes: [UInt8], for sender: Sender?) throws(LayerKeyError) {
        makeBoth()
        if sender != side { try opener?.setKey(name, bytes.rawSpan) }
        guard sender != side.peer else { return }
        try sealer?.setKey(name, bytes.rawSpan)
        sent?.setKey(name, bytes)
    }

    /// Opens a packet of the peer, but not the packets inside of it.
    func open(_ packet: borrowing Packet, _ states: PacketStates) -> OpenedPackets {
        makeBoth()
        let start = MonotonicTime.now
        defer { spend(since: start) }
        return opener?.begin(packet, states: states, copiesPlain: false) ?? OpenedPackets()
    }

    /// Whether packets inside of that one are still to be opened.
    var isOpening: Bool { opener?.isOpening ?? false }

    /// The bytes of the packets around the next one.
    var openingByteCount: Int { opener?.openingByteCount ?? 0 }

    /// Whether the connection's share of this turn is used up.
    var hasSpentShare: Bool { loop.hasSpentShare }

    /// Opens the next one of them.
    func openNext(_ opened: inout OpenedPackets) {
        let start = MonotonicTime.now
        defer { spend(since: start) }
        opener?.openNext(&opened)
    }

    /// Drops those of them that were taken.
    func dropTaken(of opened: inout OpenedPackets) { opener?.dropTaken(of: &opened) }

    /// Opens no further packets inside of one.
    func stopOpening() { opener?.stop() }

    /// Returns a packet to send, as it stands in the stream; it must be sent next.
    func seal(_ packet: UnsealedPacket, _ states: PacketStates) throws(CodecError) -> [UInt8] {
        if let failure { throw failure }
        if triesFirst {
            try packet.requireSealable(
                from: side, states, in: layout, limit: packetLimit, threshold: settings.options.threshold)
        }
        do throws(CodecError) {
            return try withSealer { sealer throws(CodecError) in try packet.sealed(with: &sealer, states) } ?? []
        } catch {
            if case .layerUnavailable = error.reason { throw error }
            if triesFirst { failure = error }
            throw error
        }
    }

    /// Calls a closure with what seals packets; the packet that it seals must be sent next.
    func withSealer<Result, Failure: Error>(
        _ body: (inout PacketSealer) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        makeBoth()
        let start = MonotonicTime.now
        defer { spend(since: start) }
        let result = try sealer?.use(body)
        sent?.noteSealed()
        return result
    }

    /// Counts what was done as the connection's work: a few bytes can mean much of it.
    func spend(since start: MonotonicTime) {
        loop.note(.layerPassed)
        loop.spend(Int(clamping: MonotonicTime.now.nanoseconds - start.nanoseconds))
    }

    private func makeBoth() {
        guard opener == nil else { return }
        let states = loop.compressionStates()
        var settings = settings
        settings.options.brotliLevel = settings.options.brotliLevel ?? LayerOptions.liveBrotliLevel
        opener = PacketOpener(layout, from: side.peer, packetLimit: packetLimit, settings: settings, states: states)
        sealer = PacketSealer(layout, from: side, packetLimit: packetLimit, settings: settings, states: states)
    }
}

extension EventLoop {
    /// The states of compression that all connections of the loop share.
    fileprivate func compressionStates() -> CompressionStates {
        if let states = sharedState as? CompressionStates { return states }
        let states = CompressionStates()
        sharedState = states
        return states
    }
}
