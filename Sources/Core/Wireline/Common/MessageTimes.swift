// SPDX-License-Identifier: Apache-2.0

package import WirelineTransport

/// How long a server's handlers take for each type of message.
///
/// Each loop counts its own connections without a lock; a reader merges the counts.
package final class MessageTimes: Sendable {
    package struct Entry: Sendable {
        package let id: UInt64
        package let name: String
        package var times = Histogram()
    }

    /// The counts of one loop.
    ///
    /// Only the loop's thread uses the entries, so `@unchecked Sendable` needs no lock.
    private final class Shard: @unchecked Sendable {
        let loop: EventLoop
        @safe @exclusivity(unchecked) var entries: [UInt64: Entry] = [:]
        /// The times of messages whose IDs came after the limit was reached.
        @safe @exclusivity(unchecked) var others = Histogram()

        init(_ loop: EventLoop) { self.loop = loop }
    }

    /// The name under which messages beyond the limit are counted.
    package static let otherName = "other"

    private let shards: [Shard]
    private let limit: Int

    /// - Parameter limit: The most IDs for which each loop keeps times (default 256: a histogram has 200 bytes).
    ///   Messages with further IDs are counted together.
    package init(loops: [EventLoop], limit: Int = 256) {
        shards = loops.map { Shard($0) }
        self.limit = limit
    }

    /// Counts a message that was handled. Call it on the loop of its connection; on other threads it does nothing.
    ///
    /// - Parameters:
    ///   - name: The message's name in the schema; used when the ID is counted for the first time.
    ///   - nanoseconds: The handler's time, including its waits.
    package func record(id: UInt64, name: @autoclosure () -> String, nanoseconds: Int64) {
        guard let shard = shards.first(where: { $0.loop.isCurrent }) else { return }
        if shard.entries[id] != nil || shard.entries.count < limit {
            shard.entries[id, default: Entry(id: id, name: name())].times.record(nanoseconds: nanoseconds)
        } else {
            shard.others.record(nanoseconds: nanoseconds)
        }
    }

    /// The times up to now, in the order of their IDs; those beyond the limit come last, with the ID 0.
    package func merged() async -> [Entry] {
        var sum: [UInt64: Entry] = [:]
        var others = Histogram()
        for shard in shards {
            let (entries, more) = await shard.loop.run { (shard.entries, shard.others) }
            for entry in entries.values {
                sum[entry.id, default: Entry(id: entry.id, name: entry.name)].times += entry.times
            }
            others += more
        }
        let all = sum.values.sorted { $0.id < $1.id }
        return others.count == 0 ? all : all + [Entry(id: 0, name: Self.otherName, times: others)]
    }
}
