// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineSchema
import WirelineTransport

/// A server that returns each packet unchanged.
///
/// Each check has its own connection. The server does not have to decode messages, so it may return packets with
/// invalid messages. Bytes that are not a packet it must refuse at once, without waiting for more.
struct LiveTarget {
    let endpoint: HostAndPort
    let timeout: TimeSpan
    let configuration: ClientConfiguration
    let translator: PacketTranslator
    /// A packet that is known to be valid; nil if there is none.
    let goodPacket: [UInt8]?
    /// The states of each connection.
    let states: PacketStates
    /// Stops waiting for the server.
    let interruption: Interruption

    /// The largest number of pieces that a packet is split into.
    private static let mostPieces = 64

    /// Returns the checks that a vector allows.
    func cases(of vector: ConformanceVector) -> [ConformanceCase] {
        func check(
            _ name: String, _ body: @escaping @Sendable () async -> ConformanceOutcome
        ) -> ConformanceCase {
            ConformanceCase(vector, name) { () async throws(CommandError) in await interruption.cancelling(body) }
        }
        let bytes = vector.bytes
        // A server's packets cannot be sent to a server where they differ from a client's.
        guard !translator.description.layout.dependsOnSender || vector.sender == .client else { return [] }
        // A connection begins with all states at 0, or with those of the caller.
        guard vector.context.states == states else { return [] }
        switch vector.kind {
        case .exact:
            guard let echo = echo(of: bytes) else { return [] }
            return [
                check("whole") { await returned([echo], asked: [bytes]) },
                check("glued") { await returned([echo, echo, echo], asked: [bytes + bytes + bytes]) },
                check("torn") { await returned([echo], asked: Self.pieces(of: bytes)) },
            ]
        case .invalid:
            // What a server returns after a packet that sets a state depends on how it follows states.
            guard !Expectation(vector, translator).setsState else { return [] }
            return [check("refuse") { await refused(vector) }]
        // A message with several encodings may be returned in any of them.
        case .decodeOnly, .refused: return []
        }
    }

    /// Throws if the server cannot be reached.
    func requireServer() async throws(CommandError) {
        let recorder = TimelineRecorder()
        do throws(ConnectionError) {
            let connection = try await connect(recorder)
            await close(connection)
        } catch {
            throw .cannotConnect(to: endpoint, error, within: timeout, recorder.timeline)
        }
    }

    // MARK: Checks

    /// Returns the packet that a server returns for a client's; nil if no packet of a server can have its ID or a value.
    ///
    /// A packet that sets a state is not returned as it is: what follows would be another.
    static func echo(of bytes: [UInt8], _ states: PacketStates, _ translator: PacketTranslator) -> [UInt8]? {
        let layout = translator.description.layout
        guard layout.dependsOnContext else { return bytes }
        let limit = translator.description.options.maximumPacketByteCount
        let sent = layout.layout(in: PacketContext(from: .client, states: states))
        guard let content = try? sent.unframed(bytes, limit: limit),
            let packet = try? Packet(content.rawSpan, layout: sent, limit: limit),
            !layout.setsState(packet.id, from: .client), !layout.setsState(packet.id, from: .server)
        else { return nil }
        return try? layout.packet(
            returning: packet, in: PacketContext(from: .server, states: states), limit: limit)
    }

    private func echo(of bytes: [UInt8]) -> [UInt8]? { Self.echo(of: bytes, states, translator) }

    /// Sends these pieces of bytes, and compares the packets that come back.
    private func returned(_ packets: [[UInt8]], asked pieces: [[UInt8]]) async -> ConformanceOutcome {
        do throws(ConnectionError) {
            let connection = try await connect()
            let outcome = await returned(packets, asked: pieces, on: connection)
            await close(connection)
            return outcome
        } catch {
            return .failed("cannot connect to \(endpoint): \(error)")
        }
    }

    private func returned(
        _ packets: [[UInt8]], asked pieces: [[UInt8]], on connection: PacketConnection
    ) async -> ConformanceOutcome {
        for piece in pieces { await send(piece, on: connection) }
        for (number, packet) in packets.enumerated() {
            let place = packets.count == 1 ? "" : "packet \(number + 1) of \(packets.count): "
            switch await next(on: connection) {
            case .packet(packet): continue
            case .packet(let other):
                let difference = BytesDifference(expected: packet, found: other)
                return .failed(place + (difference?.text ?? ""))
            case .end: return .failed(place + "the server has ended the connection in place of returning it")
            case .silence: return .failed(place + "it has not come back within \(timeout)")
            case .failure(let error): return .failed(place + "\(error)")
            }
        }
        return .passed
    }

    private func refused(_ vector: ConformanceVector) async -> ConformanceOutcome {
        guard let goodPacket, let echo = echo(of: goodPacket) else {
            return .skipped("there is no packet that a server would return, to ask after it")
        }
        do throws(ConnectionError) {
            let connection = try await connect()
            let outcome = await refused(vector, on: connection)
            await close(connection)
            guard outcome == .passed else { return outcome }
        } catch {
            return .failed("cannot connect to \(endpoint): \(error)")
        }
        let again = await returned([echo], asked: [goodPacket])
        if case .failed(let text) = again { return .failed("after it, on the next connection: \(text)") }
        return again
    }

    private func refused(_ vector: ConformanceVector, on connection: PacketConnection) async -> ConformanceOutcome {
        let expected = Expectation(vector, translator)
        await send(vector.bytes, on: connection)
        // The server cannot know that nothing follows until the output ends. Invalid packets it can refuse before that.
        if expected.needsEnd { await connection.loop.run { connection.stream.endOutput() } }
        var rest = expected.packets[...]
        while true {
            switch await next(on: connection) {
            case .end: return .passed
            case .packet(let packet):
                guard packet == rest.popFirst().flatMap({ echo(of: $0) }) else {
                    return .failed("the server has returned \(Hexadecimal.text(of: packet).shortened)")
                }
            case .silence:
                return .failed(
                    expected.needsEnd
                        ? "the server has not ended the connection within \(timeout), though nothing can follow"
                        : "the server waits: it has not ended the connection within \(timeout)")
            case .failure(.codec(let error)): return .failed("the server has returned what is no packet: \(error)")
            // The server closed the connection in some way.
            case .failure: return .passed
            }
        }
    }

    /// The allowed reaction of a server to bytes that must be refused.
    private struct Expectation {
        /// The packets that it may return before it closes the connection.
        var packets: [[UInt8]] = []
        /// Whether the fault shows only at the end of the stream, or only to a server that decodes messages.
        var needsEnd = true
        /// Whether one of the packets sets a state.
        var setsState = false

        init(_ vector: ConformanceVector, _ translator: PacketTranslator) {
            let description = translator.description
            var splitter = PacketSplitter(
                layout: description.layout, context: vector.context,
                maximumPacketByteCount: description.options.maximumPacketByteCount)
            var position = 0
            while position < vector.bytes.count {
                do throws(CodecError) {
                    guard let packet = try splitter.nextPacket(in: vector.bytes, from: &position) else { return }
                    packets.append(description.layout.framed(packet.content))
                    let id = packet.bounds.id
                    setsState = setsState || Sender.allCases.contains { description.layout.setsState(id, from: $0) }
                } catch {
                    needsEnd = false
                    return
                }
            }
        }
    }

    // MARK: Connections

    private enum Event {
        case packet([UInt8])
        case end
        case silence
        case failure(ConnectionError)
    }

    private func connect(
        _ recorder: TimelineRecorder = TimelineRecorder()
    ) async throws(ConnectionError) -> PacketConnection {
        var configuration = configuration
        configuration.dialing.connectTimeout = timeout.duration
        endpoint.apply(to: &configuration.dialing)
        let connection = try await PacketConnection.connect(
            to: endpoint.host, port: endpoint.port, layout: translator.description.layout,
            packetLimit: translator.description.options.maximumPacketByteCount, configuration: configuration,
            recorder: recorder)
        let deadline = MonotonicTime.now + timeout.duration
        // During the wait, only the timer closes the connection. So a closed connection means that the timeout has
        // ended.
        let loop = connection.loop
        let states = states
        loop.execute {
            connection.setStates(states)
            guard connection.stream.isOpen else { return }
            let timer = loop.schedule(at: deadline) { connection.close() }
            connection.onClosed = { _ in loop.cancel(timer) }
        }
        return connection
    }

    /// Closes a connection before the program ends; with TLS, the server is notified.
    private func close(_ connection: PacketConnection) async {
        await connection.loop.run { connection.close() }
    }

    private func send(_ bytes: [UInt8], on connection: PacketConnection) async {
        await connection.loop.run {
            guard connection.stream.takesOutput else { return }
            connection.stream.write(bytes)
            connection.stream.flush()
        }
    }

    private func next(on connection: PacketConnection) async -> Event {
        do throws(ConnectionError) {
            guard let packet = try await connection.next() else { return .end }
            return .packet(translator.description.layout.framed(packet.bytes))
        } catch {
            return error == .transport(.closed) ? .silence : .failure(error)
        }
    }

    /// Splits a packet into single bytes; a longer packet only at its beginning, and the rest into larger pieces.
    private static func pieces(of bytes: [UInt8]) -> [[UInt8]] {
        let singles = min(bytes.count, mostPieces / 2)
        let rest = bytes[singles...]
        let length = max(1, (rest.count + mostPieces / 2 - 1) / (mostPieces / 2))
        let starts = stride(from: rest.startIndex, to: rest.endIndex, by: length)
        return bytes[..<singles].map { [$0] } + starts.map { Array(rest[$0..<min($0 + length, rest.endIndex)]) }
    }
}
