// SPDX-License-Identifier: Apache-2.0

/// One direction of a connection in memory: the bytes on their way, and the arrived bytes that were not read.
///
/// Both parts are bounded, as with TCP: if the reader does not read, the arrived part fills up, then the other one, and
/// then the writer must wait. Use it only on the loop.
final class MemoryPipe {
    private enum End {
        case none
        /// The end of stream follows the bytes on their way.
        case underWay
        case arrived
    }

    private let network: MemoryNetwork
    private let cuts: MemoryCuts
    weak var writer: MemorySocket?
    weak var reader: MemorySocket?
    /// The bytes on their way, and when they arrive.
    private var underWay = Queue<(bytes: ArraySlice<UInt8>, time: MonotonicTime)>()
    /// The part of the first bytes that has not arrived.
    private var head: (bytes: ArraySlice<UInt8>, time: MonotonicTime)?
    /// The arrived bytes; each piece is for one read.
    private var pieces = Queue<ArraySlice<UInt8>>()
    private var piece: ArraySlice<UInt8> = []
    private var end = End.none
    private var isScheduled = false
    private var isWriterBlocked = false
    /// Whether the reader has closed its end: arriving bytes then reset the connection.
    private var hasLostReader = false
    private var isBroken = false
    /// Whether nothing passes.
    var isCut = false { didSet { if !isCut { schedule() } } }

    /// The number of bytes that have not arrived: the other side has not acknowledged them.
    private(set) var underWayByteCount = 0
    /// The number of bytes that have arrived and were not read.
    private(set) var unreadByteCount = 0

    init(_ network: MemoryNetwork) {
        self.network = network
        cuts = network.makeCuts()
    }

    // MARK: The writer's side

    var hasEndedWriting: Bool { end != .none }

    /// Takes as many bytes as fit; nil: the writer must wait.
    func take(_ bytes: UnsafeRawBufferPointer) -> Int? {
        let room = network.bufferByteCount - underWayByteCount
        let count = min(room, bytes.count)
        isWriterBlocked = count < bytes.count
        guard count > 0 else { return nil }
        // SAFETY: the caller lends the bytes for the call, and the array copies them.
        let copy = unsafe [UInt8](UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        underWay.append((copy[...], network.arrivalTime))
        underWayByteCount += count
        schedule()
        return count
    }

    func endWriting() {
        guard end == .none else { return }
        end = .underWay
        schedule()
    }

    // MARK: The reader's side

    var hasArrivedEnd: Bool { end == .arrived && unreadByteCount == 0 }

    /// Gives the reader one piece, or as many bytes as fit if nothing is cut.
    func read(into memory: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        while unreadByteCount > 0, count < memory.count {
            if piece.isEmpty { piece = pieces.popFirst() ?? [] }
            let part = piece.prefix(memory.count - count)
            // SAFETY: the part fits the memory that is left, and the caller lends that memory for the call.
            unsafe UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyBytes(from: part)
            piece = piece.dropFirst(part.count)
            count += part.count
            unreadByteCount -= part.count
            if cuts.isCutting { break }
        }
        if count > 0 { schedule() }
        return count
    }

    func loseReader() {
        hasLostReader = true
        schedule()
    }

    // MARK: Delivery

    /// Drops the bytes on their way.
    func breakOff() {
        isBroken = true
        underWay = Queue()
        head = nil
        underWayByteCount = 0
    }

    /// Resets the connection at the reader's end. The reader can still read the arrived bytes.
    func sendReset() {
        let reset = { if !self.isCut, !self.network.isCut { self.reader?.becomeReset() } }
        let time = network.arrivalTime
        if time <= network.loop.now {
            network.loop.continueLater(reset)
        } else {
            network.loop.schedule(at: time, reset)
        }
    }

    func schedule() {
        guard !isScheduled, !isCut, !network.isCut, !isBroken else { return }
        let loop = network.loop
        if head == nil { head = underWay.popFirst() }
        if let head {
            guard unreadByteCount < network.bufferByteCount || hasLostReader else { return }
            isScheduled = true
            if head.time <= loop.now {
                loop.continueLater { self.deliver() }
            } else {
                loop.schedule(at: head.time) { self.deliver() }
            }
        } else if end == .underWay {
            isScheduled = true
            let time = network.arrivalTime
            if time <= loop.now {
                loop.continueLater { self.deliverEnd() }
            } else {
                loop.schedule(at: time) { self.deliverEnd() }
            }
        }
    }

    private func deliver() {
        isScheduled = false
        guard !isCut, !network.isCut, !isBroken, let first = head else { return }
        if hasLostReader {
            // The system of a reader that has closed answers with a reset.
            writer?.becomeReset()
            return
        }
        let part = first.bytes.prefix(network.bufferByteCount - unreadByteCount)
        cuts.cut(part) { pieces.append($0) }
        unreadByteCount += part.count
        underWayByteCount -= part.count
        let rest = first.bytes.dropFirst(part.count)
        head = rest.isEmpty ? nil : (rest, first.time)
        if !part.isEmpty {
            reader?.report(.readable)
            if isWriterBlocked {
                isWriterBlocked = false
                writer?.report(.writable)
            }
        }
        schedule()
    }

    private func deliverEnd() {
        isScheduled = false
        guard !isCut, !network.isCut, !isBroken else { return }
        // Bytes are never written after the end.
        end = .arrived
        reader?.report([.readable, .ended])
    }
}

/// Cuts bytes that arrive into the pieces in which they are read.
final class MemoryCuts {
    private let delivery: MemoryDelivery
    private var random: UInt64
    private var position = 0

    /// - Parameter number: Makes the cuts of each direction different.
    init(_ delivery: MemoryDelivery, number: UInt64) {
        self.delivery = delivery
        if case .random(let seed) = delivery { random = seed &+ number } else { random = 0 }
    }

    /// Whether a read gets only one piece.
    var isCutting: Bool { delivery != .whole }

    func cut(_ bytes: ArraySlice<UInt8>, _ add: (ArraySlice<UInt8>) -> Void) {
        var rest = bytes
        while !rest.isEmpty {
            let piece = rest.prefix(nextByteCount())
            add(piece)
            rest = rest.dropFirst(piece.count)
            position += piece.count
        }
    }

    private func nextByteCount() -> Int {
        switch delivery {
        case .whole: return .max
        case .bytes(let count): return max(1, count)
        case .cut(let offset): return position < offset ? offset - position : .max
        case .random:
            // SplitMix64: the same seed makes the same cuts on every machine.
            random &+= 0x9E37_79B9_7F4A_7C15
            var bits = random
            bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
            bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
            bits ^= bits >> 31
            // Short pieces are common, and long ones occur.
            return 1 + Int(truncatingIfNeeded: (bits >> 8) % (1 << (bits & 7)))
        }
    }
}
