// SPDX-License-Identifier: Apache-2.0

/// How much one connection may do on its loop before the others have their turn.
///
/// Three rules bound the delay:
///
/// - A connection reads at once only what it can process in its share of time. The loop measures the time and adapts
///   the number of bytes (``WorkLoad``). This covers packets, small messages, and whatever a handler does with them.
/// - Few bytes can mean much work: compression, sending, messages that wait to be taken. Such work is counted as it is
///   done, in approximate nanoseconds. A connection whose share is used up continues in a later turn.
/// - A connection that has kept the loop busy, or is in a TLS handshake, waits in a queue of unfinished work. The loop
///   works on the queue for ``unfinishedTime``, and then asks for ready sockets. So a connection that does little waits
///   for a few milliseconds, however many others have more to do.
/// - Among thousands of busy connections, each takes little time, but a round of all takes long. Then those that have
///   work in each round wait in that queue, too. A new connection, or one that seldom sends, does not.
/// - Connections whose turns are usually short have a queue of their own, so they do not wait for long turns. The loop
///   gives both queues the same time.
@usableFromInline
struct LoopShare {
    /// How long the loop does unfinished work before it asks for ready sockets, in nanoseconds.
    ///
    /// That is long compared with the 1 µs of the question, and too short for people to notice.
    static let unfinishedTime: Int64 = 2_000_000
    /// Connections whose turns usually take less, in nanoseconds, wait in their own queue. A few packets take 20 µs.
    static let briefTime: Int64 = 50_000
    /// The least work that a system call counts as.
    static let systemCall = 16 << 10

    /// The time in which every busy connection has a share, unless a share would be shorter than ``shortest``.
    private static let round: Int64 = 50_000_000
    private static let longest: Int64 = 1_000_000
    /// The system calls of a turn take a tenth of it.
    private static let shortest: Int64 = 100_000
    /// A share of ``longest`` as counted work: sending 1 MiB takes a third of a millisecond on loopback.
    private static let longestWork = 1 << 20
    /// More busy connections than these are a crowd.
    private static let crowd = 256

    /// How long a connection may keep the loop busy at once, in nanoseconds.
    private(set) var time = Self.longest
    /// A connection that has kept the loop busy for longer, without a pause since, waits for others; in nanoseconds.
    private(set) var freeTime = Self.usualFreeTime
    /// The part of the passing time that is forgiven, as a power of two. With 1/64, each connection gets that part of a
    /// loop without waiting. In a crowd it is an eighth to a quarter of each connection's part.
    private(set) var forgivenShift = Self.usualForgivenShift

    private static let usualFreeTime: Int64 = 200_000
    private static let freeTimeInCrowd: Int64 = 50_000
    private static let usualForgivenShift = 6

    // Only this type changes these; its inlined methods do so in other modules, so they cannot be private.
    @usableFromInline var limit = Self.longestWork
    @usableFromInline var spent = 0

    @inlinable var isSpent: Bool { spent >= limit }

    /// In approximate nanoseconds, or bytes sent.
    @inlinable
    mutating func spend(_ work: Int) { spent &+= work }

    mutating func begin() { spent = 0 }

    /// Sets the share for a number of busy connections.
    mutating func divide(among count: Int) {
        guard count > Self.round / Self.longest || time != Self.longest else { return }
        time = max(Self.shortest, min(Self.longest, Self.round / Int64(max(1, count))))
        limit = Self.longestWork / Int(Self.longest / time)
        let isCrowd = count > Self.crowd
        freeTime = isCrowd ? Self.freeTimeInCrowd : Self.usualFreeTime
        forgivenShift = isCrowd ? Int.bitWidth - count.leadingZeroBitCount + 2 : Self.usualForgivenShift
    }
}

/// Work that continues in a later turn of a loop, oldest first. Work that is usually brief has its own queue.
struct UnfinishedWork {
    enum Kind {
        case target(PollTarget)
        case action(() -> Void)
    }

    struct Item {
        /// The start of the turn whose time was over.
        let time: MonotonicTime
        let kind: Kind
    }

    private(set) var brief = Queue<Item>()
    private(set) var long = Queue<Item>()

    var count: Int { brief.count + long.count }
    var isEmpty: Bool { brief.isEmpty && long.isEmpty }
    /// The time since which the oldest work has waited.
    var oldestTime: MonotonicTime? {
        guard let first = brief.first?.time else { return long.first?.time }
        return min(first, long.first?.time ?? first)
    }

    mutating func append(_ item: Item, isBrief: Bool) {
        if isBrief { brief.append(item) } else { long.append(item) }
    }

    mutating func popBrief() -> Item? { brief.popFirst() }
    mutating func popLong() -> Item? { long.popFirst() }
}

/// The busy time of a connection, and the limit of its next read; all times are in nanoseconds.
struct WorkLoad {
    /// The read limit of a new connection: 16 KiB of short packets take less than 0.1 ms.
    private static let firstReadLimit = 16 << 10
    /// The smallest read limit: a slow handler receives a few packets at once.
    private static let leastReadLimit = 512

    private(set) var readLimit = Self.firstReadLimit
    /// The largest read since ``took(_:share:until:)``, in bytes.
    private var readByteCount: Int32 = 0
    /// The time of a turn, on average of the last ones.
    private var usualTime: Int32 = 0
    /// The busy time, less the forgiven part.
    private var debt: Int64 = 0
    private var lastTime: Int64 = 0

    /// Whether a turn usually takes little time.
    var isBrief: Bool { Int64(usualTime) <= LoopShare.briefTime }

    private func forgiven(at now: MonotonicTime, _ share: LoopShare) -> Int64 {
        (now.nanoseconds - lastTime) >> share.forgivenShift
    }

    /// Whether the connection has kept the loop busy recently.
    func isHeavy(at now: MonotonicTime, share: LoopShare) -> Bool {
        debt > share.freeTime && debt - forgiven(at: now, share) > share.freeTime
    }

    mutating func read(_ byteCount: Int) { readByteCount = max(readByteCount, Int32(clamping: byteCount)) }

    /// Resets the read limit: earlier reads say nothing about later ones.
    mutating func forgetReads() { (readLimit, readByteCount) = (Self.firstReadLimit, 0) }

    /// `time` is how long the connection has kept the loop busy.
    mutating func took(_ time: Int64, share: LoopShare, until now: MonotonicTime) {
        debt = max(0, debt - forgiven(at: now, share)) + time
        lastTime = now.nanoseconds
        // One turn alone changes little: another program may have had the processor meanwhile.
        usualTime += (Int32(clamping: min(time, 4 * LoopShare.briefTime)) - usualTime) / 8
        guard readByteCount > 0 else { return }
        if time > share.time {
            let fitting = Int(Double(readByteCount) * Double(share.time) / Double(time))
            readLimit = max(Self.leastReadLimit, min(readLimit, fitting))
        } else if time < share.time / 2, readByteCount >= readLimit {
            readLimit = min(BlockPool.blockByteCount, 2 * readLimit)
        }
        readByteCount = 0
    }
}
