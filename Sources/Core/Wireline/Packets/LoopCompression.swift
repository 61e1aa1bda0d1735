// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLayers
import WirelineTransport

/// The state that the connections of a loop share to compress and inflate layers. Only the loop uses this.
///
/// Long packets take many turns. A loop keeps the partial result of only one packet that is opened, and of one that is
/// sealed. So long packets take little memory, however many clients send some. The others wait for their turn.
final class LoopCompression {
    /// zlib's states for packets that take one turn.
    let states = CompressionStates()
    /// A block without content.
    let noBlock = SharedBlock(Block(capacity: 1), of: nil)
    /// The connection whose packet is opened over many turns.
    private weak var holder: LayeredTraffic?
    /// The time of the holder's last step.
    private var workTime = MonotonicTime(nanoseconds: 0)
    /// The packets to seal over many turns. Each closure does one step, and returns whether its packet is done.
    private var queue = NumberedQueue<() -> Bool>()

    /// The longest time between two steps of the holder, whose program may take no packets, before another connection
    /// replaces it.
    private static let patience = Duration.seconds(1)

    /// Begins to open a packet over many turns, or continues.
    ///
    /// - Returns: Whether the partial result may be kept; false while another connection opens a packet.
    func beginWork(of traffic: LayeredTraffic, at now: MonotonicTime) -> Bool {
        if let holder, holder !== traffic {
            guard now > workTime + Self.patience else { return false }
            holder.dropOpening()
        }
        holder = traffic
        workTime = now
        return true
    }

    /// Ends a connection's work, if it is the holder.
    func endWork(of traffic: LayeredTraffic) {
        if holder === traffic { holder = nil }
    }

    /// Seals a packet over many turns, after those that already wait.
    func add(on loop: EventLoop, _ work: @escaping () -> Bool) {
        _ = queue.append(work)
        if queue.count == 1 { loop.continueLater { self.seal(on: loop) } }
    }

    /// Seals a shared packet over many turns, unless another loop does it.
    ///
    /// - Parameter traffic: The layers of one of the connections. It may end meanwhile.
    func seal(_ packet: UnsealedPacket, _ once: OnceSealed, with traffic: LayeredTraffic, on loop: EventLoop) {
        guard once.begin() else { return }
        let ahead = AheadCompression()
        add(on: loop) {
            repeat {
                traffic.compress(packet, PacketStates(), ahead)
            } while !ahead.isDone && !loop.hasSpentShare
            guard ahead.isDone else { return false }
            once.end(Result { () throws(CodecError) in try traffic.seal(packet, PacketStates(), ahead) })
            return true
        }
    }

    private func seal(on loop: EventLoop) {
        while let work = queue.first, !loop.hasSpentShare {
            if work() { _ = queue.popFirst() }
        }
        if !queue.isEmpty { loop.continueLater { self.seal(on: loop) } }
    }
}

extension EventLoop {
    /// The state that all connections of the loop share for their layers.
    var compression: LoopCompression {
        if let shared = sharedState as? LoopCompression { return shared }
        let shared = LoopCompression()
        sharedState = shared
        return shared
    }
}
