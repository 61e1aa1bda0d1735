// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema
import WirelineTransport

/// Decodes the packets of all TCP connections in a capture, in the order of the capture.
///
/// The client is the side that sent the first `SYN`. If the capture begins in the middle of a connection, the server is
/// the side with the lower port number, unless a port was given.
///
/// The memory is limited by ``maximumConnectionCount`` and ``maximumHeldByteCount``.
struct CaptureDecoder {
    /// The largest number of open connections.
    static let maximumConnectionCount = 1 << 16
    /// The largest number of bytes in incomplete packets and in segments that arrived early.
    static let maximumHeldByteCount = 256 << 20

    private struct Pair: Hashable {
        let client: SocketAddress
        let server: SocketAddress
    }

    private let translator: PacketTranslator
    private let preferred: Sender?
    private let port: UInt16?
    private let states: PacketStates
    private var reader = CaptureReader()
    /// The connections, including ended ones, because segments can arrive late. Ended ones are removed if there are too
    /// many.
    private var connections: [Pair: DecodedConnection] = [:]
    private var connectionCount = 0
    private var heldByteCount = 0
    private var counts = FrameCounts()

    /// - Parameters:
    ///   - sender: The side whose messages are tried first, for servers that echo packets; nil means the packet's
    ///     sender.
    ///   - port: The server's port. Other connections are skipped. nil means all connections.
    ///   - states: The states of each connection at its first packet (default: all are 0).
    init(
        _ translator: PacketTranslator, preferring sender: Sender? = nil, port: UInt16? = nil,
        states: PacketStates = PacketStates()
    ) {
        self.states = states
        self.translator = translator
        preferred = sender
        self.port = port
    }

    /// Consumes the next bytes of the file, and appends the output.
    ///
    /// - Throws: ``CaptureError`` if the file is invalid or a limit is exceeded. The output before that is still
    ///   appended.
    mutating func receive(_ piece: [UInt8], _ output: inout [CaptureOutput]) throws(CaptureError) {
        var frames: [CapturedFrame] = []
        var fault: CaptureError?
        do throws(CaptureError) {
            try reader.receive(piece, &frames)
        } catch {
            fault = error
        }
        for frame in frames { try receive(frame, &output) }
        if let fault { throw fault }
    }

    /// Appends the last output, at the end of the file or at the fault that ``receive(_:_:)`` has thrown.
    ///
    /// - Parameter isBroken: Whether ``receive(_:_:)`` has thrown.
    mutating func finish(isBroken: Bool = false, _ output: inout [CaptureOutput]) throws(CaptureError) {
        for connection in connections.values.sorted(by: { $0.number < $1.number }) {
            output += connection.finish(in: nil)
        }
        connections = [:]
        output += counts.faults(port: port, hasConnections: connectionCount > 0)
        if !isBroken { try reader.finish() }
    }

    // MARK: Frames

    private mutating func receive(_ frame: CapturedFrame, _ output: inout [CaptureOutput]) throws(CaptureError) {
        switch FrameContent(frame) {
        case .segment(let segment): try receive(segment, frame, &output)
        case .fragment: counts.fragments += 1
        case .malformed: counts.malformed += 1
        case .other: break
        case .unknownLink:
            if counts.unknownLinks.insert(frame.linkType).inserted {
                output.append(
                    .fault(
                        "frame \(frame.number): frames of link type \(frame.linkType) are not read; "
                            + "Ethernet, Linux cooked, loopback and plain IP are"))
            }
        }
    }

    private mutating func receive(
        _ segment: TCPSegment, _ frame: CapturedFrame, _ output: inout [CaptureOutput]
    ) throws(CaptureError) {
        if let port, segment.source.port != port, segment.target.port != port {
            counts.otherPorts += 1
            return
        }
        guard let connection = try connection(of: segment, frame, &output) else { return }
        let before = connection.heldByteCount
        output += connection.receive(segment, in: frame)
        heldByteCount += connection.heldByteCount - before
        guard heldByteCount <= Self.maximumHeldByteCount else {
            throw CaptureError(
                "frame \(frame.number): more than \(Self.maximumHeldByteCount) bytes of incomplete packets; "
                    + "choose connections with --port")
        }
    }

    /// Returns the segment's connection, which may be new; nil if the segment cannot begin one.
    private mutating func connection(
        of segment: TCPSegment, _ frame: CapturedFrame, _ output: inout [CaptureOutput]
    ) throws(CaptureError) -> DecodedConnection? {
        let ways = [
            Pair(client: segment.source, server: segment.target), Pair(client: segment.target, server: segment.source),
        ]
        if let pair = ways.first(where: { connections[$0] != nil }), let connection = connections[pair] {
            guard connection.isReplaced(by: segment) else { return connection }
            let before = connection.heldByteCount
            output += connection.finish(in: frame)
            heldByteCount += connection.heldByteCount - before
            connections[pair] = nil
        }
        let isBeginning = segment.flags.contains(.synchronize) || !segment.payload.isEmpty || segment.lostByteCount > 0
        guard isBeginning, !segment.flags.contains(.reset) else { return nil }
        try makeSpace(frame)
        connectionCount += 1
        let pair = isFromClient(segment) ? ways[0] : ways[1]
        let connection = DecodedConnection(
            number: connectionCount, client: pair.client, server: pair.server, translator, preferring: preferred,
            states: states)
        connections[pair] = connection
        return connection
    }

    /// Removes ended connections when there are twice as many connections as the limit, so that this is rare.
    private mutating func makeSpace(_ frame: CapturedFrame) throws(CaptureError) {
        guard connections.count >= 2 * Self.maximumConnectionCount else { return }
        connections = connections.filter { !$0.value.isClosed }
        guard connections.count > Self.maximumConnectionCount else { return }
        throw CaptureError(
            "frame \(frame.number): more than \(Self.maximumConnectionCount) connections are open; "
                + "choose some with --port")
    }

    private func isFromClient(_ segment: TCPSegment) -> Bool {
        let (source, target) = (segment.source.port, segment.target.port)
        if let port, source != target { return target == port }
        if segment.flags.contains(.synchronize) { return segment.acknowledgement == nil }
        return target <= source
    }
}

/// The numbers of skipped frames, by reason.
private struct FrameCounts {
    var fragments = 0
    var malformed = 0
    var otherPorts = 0
    var unknownLinks: Set<UInt16> = []

    func faults(port: UInt16?, hasConnections: Bool) -> [CaptureOutput] {
        var faults: [CaptureOutput] = []
        if fragments > 0 { faults.append(.fault("\(fragments.counted("IP fragment")) with TCP: not put together")) }
        if malformed > 0 { faults.append(.fault("\(malformed.counted("frame")) with malformed headers")) }
        if let port, !hasConnections {
            faults.append(
                .fault("no TCP connection has port \(port); there are \(otherPorts.counted("segment")) of other ports"))
        }
        return faults
    }
}
