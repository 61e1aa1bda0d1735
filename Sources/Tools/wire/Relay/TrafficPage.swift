// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineGenerator
import WirelineSchema
import WirelineTransport
import WirelineWebSocket

/// Shows the traffic of a proxy in browsers on this machine. It serves a page, and a WebSocket that sends the events.
///
/// A browser first gets the stored events, and then new ones. The proxy never waits for a browser. A browser that reads
/// too slowly is disconnected, and reconnects.
final class TrafficPage: Sendable {
    /// An event that the page shows on a line: bytes or an action of one side of a connection.
    private struct Event {
        let number: Int
        let json: JSONValue
        let byteCount: Int

        /// - Parameter time: Microseconds since 1970.
        init(number: Int, _ note: TrafficNote, of connection: RelayedConnection, at time: UInt64) {
            self.number = number
            var members = [
                JSONValue.Member("number", .integer(Int128(number))),
                JSONValue.Member("time", .integer(Int128(time / 1_000))),
                JSONValue.Member("connection", .integer(Int128(connection.number))),
                JSONValue.Member("client", .string("\(connection.peer)")),
                JSONValue.Member("sender", .string(note.sender?.rawValue ?? "")),
                JSONValue.Member("kind", .string(note.kind.rawValue)),
                JSONValue.Member("text", .string(note.text)),
                JSONValue.Member("parts", .array(note.parts.map(Self.json))),
            ]
            if !note.packet.isEmpty {
                let link = HTMLGenerator.fragment(showing: note.packet, from: note.sender, in: note.states)
                members.append(JSONValue.Member("link", .string(link)))
            }
            if let time = note.replyTime {
                members.append(JSONValue.Member("replyTime", .integer(Int128(time / .microseconds(1)))))
            }
            json = .object(members)
            byteCount = note.parts.reduce(200 + note.text.utf8.count + 2 * note.packet.count) {
                $0 + 80 + $1.digits.utf8.count + $1.path.utf8.count + $1.text.utf8.count
            }
        }

        private static func json(_ part: TrafficNote.Part) -> JSONValue {
            .object([
                JSONValue.Member("offset", .integer(Int128(part.offset))),
                JSONValue.Member("bytes", .string(part.digits)), JSONValue.Member("field", .string(part.path)),
                JSONValue.Member("value", .string(part.text)), JSONValue.Member("isFault", .boolean(part.isFault)),
            ])
        }
    }

    private struct State {
        /// The stored events: at most ``mostEvents``, with about ``mostBytes``. Above that, the older half is removed.
        var events: [Event] = []
        var byteCount = 0
        var nextNumber = 1
        /// The number of stored events that were not sent yet.
        var unsentCount = 0
        /// The browsers that get only new events, and those that first get the stored ones.
        var browsers: Set<WebSocketServerConnection> = []
        var newcomers: Set<WebSocketServerConnection> = []
        /// Whether a task sends. It is true at first, so that nothing is sent before the server has started.
        var isSending = true
    }

    private static let mostEvents = 1_000
    private static let mostBytes = 4 << 20

    private let protocolName: String
    /// Identifies this run. Other runs have events with the same numbers.
    private let run = WallClock.microsecondsSince1970
    private let state = Lock(State())
    private let server = Lock<WebSocketServer?>(nil)

    /// Starts the server of the page. Only this machine can reach it.
    ///
    /// - Parameter port: The port; 0 means any free port.
    static func start(
        port: UInt16, showing description: ProtocolDescription
    ) async throws(ConnectionError) -> TrafficPage {
        let page = TrafficPage(description.name)
        var configuration = WebSocketServerConfiguration()
        configuration.handshake.pages = pages(for: description)
        // A user has only a few browsers, and the connections of the proxy need the descriptors.
        configuration.listening.connectionLimit = 32
        // The page sends no messages, so a low limit is enough.
        configuration.limits.frames.messageLimit = 1_000
        let server = try await WebSocketServer.start(
            at: "127.0.0.1", port: port, configuration: configuration
        ) { browser in
            page.change { $0.newcomers.insert(browser) }
            defer { page.leave(browser) }
            while try await browser.receive() != nil {}
        }
        page.server.withLock { $0 = server }
        await page.send()
        return page
    }

    private init(_ protocolName: String) { self.protocolName = protocolName }

    var address: String { server.withLock { $0 }.map { "http://\($0.address)/" } ?? "" }

    func close() async { await server.withLock { $0.take() }?.shutDown(within: .seconds(1)) }

    // MARK: Showing

    /// May be called on any thread.
    ///
    /// - Parameter time: Microseconds since 1970.
    func show(_ note: TrafficNote, of connection: RelayedConnection, at time: UInt64) {
        change { state in
            let event = Event(number: state.nextNumber, note, of: connection, at: time)
            state.events.append(event)
            state.nextNumber += 1
            state.unsentCount += 1
            state.byteCount += event.byteCount
            if state.events.count > Self.mostEvents || state.byteCount > Self.mostBytes {
                state.events.removeFirst(state.events.count / 2)
                state.byteCount = state.events.reduce(0) { $0 + $1.byteCount }
            }
        }
    }

    /// Changes the state, and then sends the events that were not sent.
    private func change(_ change: (inout State) -> Void) {
        let isSending = state.withLock { state in
            change(&state)
            defer { state.isSending = true }
            return state.isSending
        }
        if !isSending { Task { await self.send() } }
    }

    private func leave(_ browser: WebSocketServerConnection) {
        state.withLock { state in
            state.browsers.remove(browser)
            state.newcomers.remove(browser)
        }
    }

    /// Sends until no event is left. Only one task sends at a time, so the events arrive in order.
    private func send() async {
        while let batch = takeEventBatch(), let server = server.withLock({ $0 }) {
            await send(batch.unsent, to: batch.browsers, by: server)
            await send(batch.all, to: batch.newcomers, by: server)
        }
    }

    private func send(_ events: [Event], to browsers: [WebSocketServerConnection], by server: WebSocketServer) async {
        guard !browsers.isEmpty else { return }
        for browser in await server.broadcast(message(events), to: browsers) { browser.connection.close() }
    }

    private typealias EventBatch = (
        unsent: [Event], browsers: [WebSocketServerConnection], all: [Event], newcomers: [WebSocketServerConnection]
    )

    private func takeEventBatch() -> EventBatch? {
        state.withLock { state in
            state.isSending = state.unsentCount > 0 || !state.newcomers.isEmpty
            guard state.isSending else { return nil }
            let unsent = Array(state.events.suffix(state.unsentCount))
            let batch = (unsent, Array(state.browsers), state.events, Array(state.newcomers))
            state.unsentCount = 0
            state.browsers.formUnion(state.newcomers)
            state.newcomers = []
            return batch
        }
    }

    private func message(_ events: [Event]) -> WebSocketMessage {
        let message = JSONValue.object([
            JSONValue.Member("protocol", .string(protocolName)), JSONValue.Member("run", .integer(Int128(run))),
            JSONValue.Member("events", .array(events.map(\.json))),
        ])
        return .text("\(message)")
    }
}
