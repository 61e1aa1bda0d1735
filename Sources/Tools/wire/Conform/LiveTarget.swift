// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineLayers
import WirelineSchema
import WirelineTransport

/// Checks a server that returns each packet unchanged.
///
/// Each check has its own connection. The server need not decode messages, so it may return packets with invalid
/// messages. It must refuse bytes that are not a packet at once, without waiting for more. It opens layers, and seals
/// the packets that it returns as packets of a server. It returns the packets inside another packet one by one.
struct LiveTarget {
    let endpoint: HostAndPort
    let timeout: TimeSpan
    let configuration: ClientConfiguration
    /// The translator with the keys of the connections.
    let translator: PacketTranslator
    let keys: Set<LayerKey>
    /// A valid packet that the server returns; nil if the protocol has none.
    let goodPacket: [UInt8]?
    /// The states of each connection at its start.
    let states: PacketStates
    /// Ends the waits for the server when the user interrupts the program.
    let interruption: Interruption

    /// The largest number of pieces of a split packet.
    private static let mostPieces = 64

    /// Returns the checks of a vector. There are none if the vector cannot be sent to the server.
    func cases(of vector: ConformanceVector) -> [ConformanceCase] {
        func check(
            _ name: String, _ body: @escaping @Sendable () async -> ConformanceOutcome
        ) -> ConformanceCase {
            ConformanceCase(vector, name) { () async throws(CommandError) in await interruption.cancelling(body) }
        }
        let bytes = vector.bytes
        guard Self.isUsable(vector, states, keys, translator) else { return [] }
        switch vector.kind {
        case .exact:
            guard let echo = echo(of: bytes), let three = stream(of: 3, vector) else { return [] }
            return [
                check("whole") { await returned(echo, asked: [bytes]) },
                check("glued") { await returned(echo + echo + echo, asked: [three]) },
                check("torn") { await returned(echo, asked: Self.pieces(of: bytes)) },
            ]
        case .invalid:
            // After a packet that sets a state, the reply depends on how the server follows states.
            guard !Expectation(vector, states, translator).setsState else { return [] }
            return [check("refuse") { await refused(vector) }]
        // If a message has several encodings, the server may return any of them.
        case .decodeOnly, .refused: return []
        }
    }

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

    /// Whether a vector can be sent on a connection that has these states and keys.
    static func isUsable(
        _ vector: ConformanceVector, _ states: PacketStates, _ keys: Set<LayerKey>, _ translator: PacketTranslator
    ) -> Bool {
        // If the packets of a server differ from those of a client, the vector must be a client's packet.
        guard vector.sender == .client || !translator.description.layout.dependsOnSender && !translator.hasContent
        else {
            return false
        }
        // A connection starts with the states of the call. Without them, all states are 0.
        return vector.context.states == states && (!translator.hasContent || Set(vector.keys) == keys)
    }

    /// Returns a vector's packet several times, as the first packets of a connection; nil if it cannot be sealed again.
    private func stream(of count: Int, _ vector: ConformanceVector) -> [UInt8]? {
        guard translator.description.layout.content.layers.contains(where: \.kind.hasLastingKeystream) else {
            return Array(repeatElement(vector.bytes, count: count).joined())
        }
        var sealer = translator.makeSealer(from: .client)
        var bytes: [UInt8] = []
        for _ in 0..<count {
            let draft = try? translator.draft(of: vector.line ?? .null, from: .client, states: states)
            guard let draft, let packet = try? translator.encode(draft, with: &sealer) else { return nil }
            bytes += packet
        }
        return bytes
    }

    /// Returns the server's packets for a client's packets; nil if a server cannot send a packet with this ID or value.
    ///
    /// Also nil for a packet that sets a state, because it changes the packets after it.
    static func echo(of bytes: [UInt8], _ states: PacketStates, _ translator: PacketTranslator) -> [EchoedPacket]? {
        let layout = translator.description.layout
        guard !translator.hasContent else {
            var stream = translator.makeStream(from: .client, states: states)
            stream.receive(bytes)
            guard let (_, opened) = try? stream.next(), opened.failure == nil, !opened.setsState(in: layout),
                let echoes = try? opened.echoes(in: layout), !echoes.isEmpty
            else { return nil }
            return echoes
        }
        guard layout.dependsOnContext else { return [.bytes(bytes)] }
        let limit = translator.description.options.maximumPacketByteCount
        let sent = layout.layout(in: PacketContext(from: .client, states: states))
        guard let content = try? sent.unframed(bytes, limit: limit),
            let packet = try? Packet(content.rawSpan, layout: sent, limit: limit),
            !layout.setsState(packet.id, from: .client), !layout.setsState(packet.id, from: .server)
        else { return nil }
        let returned = try? layout.packet(
            returning: packet, in: PacketContext(from: .server, states: states), limit: limit)
        return returned.map { [.bytes($0)] }
    }

    private func echo(of bytes: [UInt8]) -> [EchoedPacket]? { Self.echo(of: bytes, states, translator) }

    /// Sends the pieces, and compares the packets that the server returns.
    private func returned(_ packets: [EchoedPacket], asked pieces: [[UInt8]]) async -> ConformanceOutcome {
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
        _ packets: [EchoedPacket], asked pieces: [[UInt8]], on connection: PacketConnection
    ) async -> ConformanceOutcome {
        for piece in pieces { await send(piece, on: connection) }
        for (number, packet) in packets.enumerated() {
            let place = packets.count == 1 ? "" : "packet \(number + 1) of \(packets.count): "
            switch await next(on: connection) {
            case .packet(let other):
                guard let difference = packet.difference(from: other) else { continue }
                return .failed(place + difference)
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
        let again = await returned(echo, asked: [goodPacket])
        if case .failed(let text) = again { return .failed("after it, on the next connection: \(text)") }
        return again
    }

    private func refused(_ vector: ConformanceVector, on connection: PacketConnection) async -> ConformanceOutcome {
        let expected = Expectation(vector, states, translator)
        await send(vector.bytes, on: connection)
        // If only the end of the output shows the fault, this side must end its output. Other faults show earlier.
        if expected.needsEnd { await connection.loop.run { connection.stream.endOutput() } }
        var rest = expected.packets[...]
        while true {
            switch await next(on: connection) {
            case .end: return .passed
            case .packet(let packet):
                guard let echo = rest.popFirst(), echo.difference(from: packet) == nil else {
                    return .failed("the server has returned \(packet.text)")
                }
            case .silence:
                return .failed(
                    expected.needsEnd
                        ? "the server has not ended the connection within \(timeout), though nothing can follow"
                        : "the server waits: it has not ended the connection within \(timeout)")
            case .failure(.codec(let error)): return .failed("the server has returned what is no packet: \(error)")
            // The server has closed the connection. How it did so does not matter.
            case .failure: return .passed
            }
        }
    }

    /// What a server may do with bytes that it must refuse.
    private struct Expectation {
        /// The packets that the server may return before it closes the connection.
        var packets: [EchoedPacket] = []
        /// Whether the fault shows only at the end of the stream, or only to a server that decodes messages.
        var needsEnd = true
        /// Whether one of the packets sets a state.
        var setsState = false

        init(_ vector: ConformanceVector, _ states: PacketStates, _ translator: PacketTranslator) {
            if translator.hasContent { open(vector, translator) } else { split(vector, states, translator) }
        }

        /// A server must open layers even if it does not decode messages.
        private mutating func open(_ vector: ConformanceVector, _ translator: PacketTranslator) {
            let layout = translator.description.layout
            var stream = translator.makeStream(from: vector.sender, states: vector.context.states)
            stream.receive(vector.bytes)
            do throws(CodecError) {
                while let (_, opened) = try stream.next() {
                    packets += try opened.echoes(in: layout)
                    setsState = setsState || opened.setsState(in: layout)
                    if let failure = opened.failure { throw failure }
                }
            } catch {
                needsEnd = false
            }
        }

        private mutating func split(
            _ vector: ConformanceVector, _ states: PacketStates, _ translator: PacketTranslator
        ) {
            let description = translator.description
            var splitter = PacketSplitter(
                layout: description.layout, context: vector.context,
                maximumPacketByteCount: description.options.maximumPacketByteCount)
            var position = 0
            while position < vector.bytes.count {
                do throws(CodecError) {
                    guard let packet = try splitter.nextPacket(in: vector.bytes, from: &position) else { return }
                    let echo = LiveTarget.echo(of: description.layout.framed(packet.content), states, translator)
                    packets += echo ?? []
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
        case packet(EchoedPacket)
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
        // While this waits, only the timer closes the connection. So a closed connection means that the time has
        // passed.
        let loop = connection.loop
        let (states, layers, hasContent) = (states, translator.layers, translator.hasContent)
        loop.execute {
            if hasContent { connection.setKeys(layers) }
            connection.setStates(states)
            guard connection.stream.isOpen else { return }
            let timer = loop.schedule(at: deadline) { connection.close() }
            connection.onClosed = { _ in loop.cancel(timer) }
        }
        return connection
    }

    /// Closes the connection. With TLS, it first sends `close_notify`.
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
            let layout = translator.description.layout
            guard translator.hasContent else { return .packet(.bytes(layout.framed(packet.bytes))) }
            return .packet(try Self.opened(packet, in: layout))
        } catch {
            return error == .transport(.closed) ? .silence : .failure(error)
        }
    }

    private static func opened(
        _ packet: ReceivedPacket, in layout: PacketLayout
    ) throws(ConnectionError) -> EchoedPacket {
        do throws(CodecError) {
            return try EchoedPacket(packet.lent, in: layout)
        } catch {
            throw .codec(error)
        }
    }

    /// Splits a packet into single bytes. In a long packet, only the first bytes are single.
    private static func pieces(of bytes: [UInt8]) -> [[UInt8]] {
        let singles = min(bytes.count, mostPieces / 2)
        let rest = bytes[singles...]
        let length = max(1, (rest.count + mostPieces / 2 - 1) / (mostPieces / 2))
        let starts = stride(from: rest.startIndex, to: rest.endIndex, by: length)
        return bytes[..<singles].map { [$0] } + starts.map { Array(rest[$0..<min($0 + length, rest.endIndex)]) }
    }
}
