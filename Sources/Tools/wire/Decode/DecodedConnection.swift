// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema
import WirelineTransport

enum CaptureOutput: Equatable {
    case line(String)
    case fault(String)
    /// An explanation of the fault before it.
    case note(String)
}

/// A TCP connection in a capture, with the packets of both directions.
final class DecodedConnection {
    private struct Side: ~Copyable {
        var assembler = TCPAssembler()
        var stream: PacketStream
        var hasBytes = false
        var isFinished = false
    }

    let number: Int
    private let client: SocketAddress
    private let server: SocketAddress
    private var clientSide: Side
    private var serverSide: Side
    /// Whether the connection carries another protocol. It is not decoded then.
    private var isOther = false
    private(set) var isClosed = false
    /// The time of the last frame.
    private var time: CaptureTime?

    init(
        number: Int, client: SocketAddress, server: SocketAddress, _ translator: PacketTranslator,
        preferring sender: Sender?, states: PacketStates
    ) {
        self.number = number
        self.client = client
        self.server = server
        // If packets depend on their sender, the sender in the capture is used.
        let preferred = translator.description.layout.dependsOnSender ? nil : sender
        clientSide = Side(stream: PacketStream(translator, preferred.map { .preferring($0) } ?? .from(.client), states))
        serverSide = Side(stream: PacketStream(translator, preferred.map { .preferring($0) } ?? .from(.server), states))
    }

    /// The number of bytes that are kept in memory.
    var heldByteCount: Int {
        clientSide.assembler.waitingByteCount + clientSide.stream.heldByteCount
            + serverSide.assembler.waitingByteCount + serverSide.stream.heldByteCount
    }

    /// Whether the segment begins a new connection between the same addresses.
    func isReplaced(by segment: TCPSegment) -> Bool {
        guard segment.flags.contains(.synchronize), segment.acknowledgement == nil else { return false }
        if isClosed || segment.source != client { return true }
        return clientSide.assembler.isOtherBeginning(segment)
    }

    func receive(_ segment: TCPSegment, in frame: CapturedFrame) -> [CaptureOutput] {
        guard !isClosed else { return [] }
        time = frame.time
        let sender: Sender = segment.source == client ? .client : .server
        var output: [CaptureOutput] = []
        if segment.flags.contains(.reset) {
            output = finish(in: frame)
        } else {
            // The sender had received all acknowledged bytes before it sent this segment, so their states apply to the
            // segment.
            if sender == .client {
                if let number = segment.acknowledgement { output += confirm(number, .server, &serverSide, frame) }
                clientSide.stream.setStates(serverSide.stream.states)
                output += receive(segment, .client, &clientSide, frame)
                serverSide.stream.setStates(clientSide.stream.states)
            } else {
                if let number = segment.acknowledgement { output += confirm(number, .client, &clientSide, frame) }
                serverSide.stream.setStates(clientSide.stream.states)
                output += receive(segment, .server, &serverSide, frame)
                clientSide.stream.setStates(serverSide.stream.states)
            }
            isClosed = clientSide.isFinished && serverSide.isFinished
        }
        return output
    }

    /// Returns the last results, at the end of the connection or of the capture.
    ///
    /// - Parameter frame: The frame that ended the connection; nil at the end of the capture.
    func finish(in frame: CapturedFrame?) -> [CaptureOutput] {
        guard !isClosed else { return [] }
        isClosed = true
        return finish(.client, &clientSide, frame) + finish(.server, &serverSide, frame)
    }

    // MARK: Sides

    private func receive(
        _ segment: TCPSegment, _ sender: Sender, _ side: inout Side, _ frame: CapturedFrame
    ) -> [CaptureOutput] {
        let output = take(side.assembler.receive(segment), sender, &side, frame)
        guard side.assembler.isAtEnd, !side.isFinished else { return output }
        return output + finish(sender, &side, frame)
    }

    private func confirm(
        _ number: UInt32, _ sender: Sender, _ side: inout Side, _ frame: CapturedFrame
    ) -> [CaptureOutput] {
        take(side.assembler.confirm(number), sender, &side, frame)
    }

    private func finish(_ sender: Sender, _ side: inout Side, _ frame: CapturedFrame?) -> [CaptureOutput] {
        guard !side.isFinished else { return [] }
        side.isFinished = true
        let output = take(side.assembler.finish(), sender, &side, frame)
        guard !isOther else { return output }
        return output + side.stream.finish().map { show($0, sender, frame) }
    }

    private func take(
        _ pieces: [TCPAssembler.Output], _ sender: Sender, _ side: inout Side, _ frame: CapturedFrame?
    ) -> [CaptureOutput] {
        var output: [CaptureOutput] = []
        for piece in pieces where !isOther {
            switch piece {
            case .bytes(let bytes):
                if !side.hasBytes, let other = OtherProtocol(recognising: bytes), !side.stream.accepts(bytes) {
                    isOther = true
                    output.append(.fault("\(name(sender, frame)): this is \(other); its bytes are not decoded"))
                    continue
                }
                side.hasBytes = true
                output += side.stream.receive(bytes, at: time).map { show($0, sender, frame) }
            case .missing(let count):
                side.hasBytes = true
                output += side.stream.skipMissing(count).map { show($0, sender, frame) }
            }
        }
        return output
    }

    // MARK: Text

    private func show(_ event: PacketStreamEvent, _ sender: Sender, _ frame: CapturedFrame?) -> CaptureOutput {
        switch event {
        case .packet(let packet, let time): .line(line(packet, sender, time))
        case .fault(let text): .fault("\(name(sender, frame)): \(text)")
        case .skipped: .note("\(name(sender, frame)): \(event.remark ?? "")")
        }
    }

    private func line(_ packet: JSONValue, _ sender: Sender, _ time: CaptureTime?) -> String {
        guard case .object(var members) = packet else { return packet.description }
        members += [
            JSONValue.Member("connection", .integer(Int128(number))),
            JSONValue.Member("from", .string(sender.rawValue)),
            JSONValue.Member("time", time.map { .string($0.description) } ?? .null),
            JSONValue.Member("client", .string(client.description)),
            JSONValue.Member("server", .string(server.description)),
        ]
        return JSONValue.object(members).description
    }

    private func name(_ sender: Sender, _ frame: CapturedFrame?) -> String {
        let place = frame.map { "frame \($0.number)" } ?? "end of the capture"
        return "\(place), connection \(number), \(sender) (\(client) to \(server))"
    }
}

extension PacketStreamEvent {
    /// The text about skipped bytes; nil for other results.
    var remark: String? {
        guard case .skipped(let byteCount, let next, let isGivenUp) = self else { return nil }
        let count = "\(byteCount.counted("byte")) \(byteCount == 1 ? "is" : "are") skipped"
        if let next { return "\(count); packet \(next.number) begins at byte \(next.offset)" }
        let reason = isGivenUp ? "too much looks like packets; all that follows is skipped, too" : "no packet follows"
        return "\(count); \(reason)"
    }
}
