// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineTransport

/// Shows the traffic of both sides of a connection, in the order of its arrival.
///
/// It runs outside of the loop: decoding a large packet or many small ones takes long, and would delay all connections
/// of the
/// loop. The connection stops reading while ``backlog`` is full. Connections with much waiting data take turns. So one
/// with
/// little data is shown soon, however much others send.
final class PacketDisplay: Sendable {
    private enum Event {
        case sent([UInt8], Sender)
        /// This side sends nothing more.
        case ended(Sender, TrafficNote)
        case note(TrafficNote)
    }

    private struct Moment {
        let event: Event
        let time = MonotonicTime.now
        let microsecondsSince1970 = WallClock.microsecondsSince1970
    }

    /// The bytes of one piece: some milliseconds of work for small packets.
    private static let pieceByteCount = 4 << 10
    /// With this many waiting bytes, a connection takes turns with others.
    private static let manyBytes = 8 << 10

    private let moments: AsyncStream<Moment>
    private let feed: AsyncStream<Moment>.Continuation
    /// The bytes that are not shown yet.
    let backlog = Backlog(limit: 64 << 10)

    init() { (moments, feed) = AsyncStream.makeStream() }

    // MARK: On the connection's loop

    func show(_ note: TrafficNote) { feed.yield(Moment(event: .note(note))) }

    func show(_ bytes: [UInt8], from sender: Sender) {
        backlog.add(bytes.count)
        for start in stride(from: 0, to: bytes.count, by: Self.pieceByteCount) {
            let piece = bytes[start..<min(start + Self.pieceByteCount, bytes.count)]
            feed.yield(Moment(event: .sent(Array(piece), sender)))
        }
    }

    /// Shows the rest of a side, and then a note about its end.
    func end(of sender: Sender, _ note: TrafficNote) { feed.yield(Moment(event: .ended(sender, note))) }

    /// ``run(for:)`` returns when everything is shown.
    func finish() { feed.finish() }

    // MARK: On its task

    /// Shows everything until ``finish()``, or until the task is cancelled.
    ///
    /// - Returns: The bytes that are not shown.
    func run(for connection: RelayedConnection) async -> Int {
        let relay = connection.relay
        var client = PacketWatch(of: .client, relay.reader, relay.states)
        var server = PacketWatch(of: .server, relay.reader, relay.states)
        var replyTimes = ReplyTimes(relay.description)
        var shownByteCount = 0
        for await moment in moments {
            guard !Task.isCancelled else { break }
            let waits = backlog.byteCount >= Self.manyBytes
            if waits { await relay.longDisplayLock.begin() }
            defer { if waits { relay.longDisplayLock.end() } }
            let notes =
                switch moment.event {
                case .sent(let bytes, .client): client.receive(bytes, statesFor: &server)
                case .sent(let bytes, .server): server.receive(bytes, statesFor: &client)
                case .ended(.client, let note): client.finish() + [note]
                case .ended(.server, let note): server.finish() + [note]
                case .note(let note): [note]
                }
            for var note in notes {
                if let message = note.message, let sender = note.sender {
                    note.replyTime = replyTimes.time(of: message, from: sender, at: moment.time)
                }
                relay.show(note, of: connection, at: moment.microsecondsSince1970)
            }
            guard case .sent(let bytes, _) = moment.event else { continue }
            backlog.remove(bytes.count)
            shownByteCount += bytes.count
            guard shownByteCount >= Self.pieceByteCount else { continue }
            shownByteCount = 0
            // A client that sends without a pause would keep a thread from the others.
            await Task.yield()
        }
        return backlog.byteCount
    }
}

extension PacketWatch {
    /// The other side's watch also gets the new states.
    fileprivate mutating func receive(_ bytes: [UInt8], statesFor other: inout PacketWatch) -> [TrafficNote] {
        let notes = receive(bytes)
        other.setStates(states)
        return notes
    }
}
