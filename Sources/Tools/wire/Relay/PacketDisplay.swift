// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineTransport

/// Shows the traffic of both sides of a connection, in the order of its arrival.
///
/// This work is not done on the loop: decoding a large packet or many small ones takes long, and would delay all other
/// connections of the loop. The connection stops reading while ``backlog`` is full.
///
/// Connections with much waiting data take turns. So a connection with little data is shown soon, even if others send
/// much.
final class PacketDisplay: Sendable {
    private enum Event {
        case sent([UInt8], Sender)
        /// The side sends nothing more.
        case ended(Sender, TrafficNote)
        case note(TrafficNote)
    }

    private struct Moment {
        let event: Event
        let time = MonotonicTime.now
        let microsecondsSince1970 = WallClock.microsecondsSince1970
    }

    /// The size of a piece, in bytes. Decoding it takes some milliseconds if the packets are small.
    private static let pieceByteCount = 4 << 10
    /// The number of waiting bytes from which a connection takes turns with others.
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

    /// Shows the remaining bytes of a side, and then a note about its end.
    func end(of sender: Sender, _ note: TrafficNote) { feed.yield(Moment(event: .ended(sender, note))) }

    /// No more events follow. ``run(for:)`` returns when everything is shown.
    func finish() { feed.finish() }

    // MARK: On its task

    /// Shows events until ``finish()`` is called or the task is cancelled.
    ///
    /// - Returns: The number of bytes that were not shown.
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
            // Without this, a client that never pauses would occupy a thread.
            await Task.yield()
        }
        return backlog.byteCount
    }
}

extension PacketWatch {
    /// Takes bytes of this side. If they change the states, the other side's watch gets the new ones.
    fileprivate mutating func receive(_ bytes: [UInt8], statesFor other: inout PacketWatch) -> [TrafficNote] {
        let notes = receive(bytes)
        other.setStates(states)
        return notes
    }
}
