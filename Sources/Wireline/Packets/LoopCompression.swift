// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLayers
import WirelineTransport

/// What the connections of a loop share to compress and inflate the layers of packets. Only the loop uses this.
///
/// Long packets take many turns. A loop keeps what was made of one that is opened and of one that is sealed, so that they
/// take little memory, however many clients send some. The others wait for their turn.
final class LoopCompression {
    /// zlib's states for what takes one turn.
    let states = CompressionStates()
    /// Whose packet is opened over many turns.
    private weak var holder: LayeredTraffic?
    /// When it was last opened any further.
    private var workTime = MonotonicTime(nanoseconds: 0)
    /// The packets to seal over many turns. Each closure does a part, and returns whether its packet is done.
    private var line = NumberedQueue<() -> Bool>()

    /// How long the one packet may stand still, because its program takes no packets, before another one has its place.
    private static let patience = Duration.seconds(1)

    /// Begins to open a packet over many turns, or goes on with it.
    ///
    /// - Returns: Whether what is made of it may be kept; false while another connection does this.
    func beginWork(of traffic: LayeredTraffic, at now: MonotonicTime) -> Bool {
        if let holder, holder !== traffic {
            guard now > workTime + Self.patience else { return false }
            holder.dropOpening()
        }
        holder = traffic
        workTime = now
        return true
    }

    /// Ends the work on a connection's packet, if it is the one that is opened.
    func endWork(of traffic: LayeredTraffic) {
        if holder === traffic { holder = nil }
    }

    /// Seals a packet over many turns, after those that wait already.
    func add(on loop: EventLoop, _ work: @escaping () -> Bool) {
        _ = line.append(work)
        if line.count == 1 { loop.goOnLater { self.seal(on: loop) } }
    }

    /// Seals a packet for many connections over many turns, unless another loop does it.
    ///
    /// - Parameter traffic: The layers of one of them. It may end meanwhile.
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
        while let work = line.first, !loop.hasSpentShare {
            if work() { _ = line.popFirst() }
        }
        if !line.isEmpty { loop.goOnLater { self.seal(on: loop) } }
    }
}

extension EventLoop {
    /// What all connections of the loop share for their layers.
    var compression: LoopCompression {
        if let shared = sharedState as? LoopCompression { return shared }
        let shared = LoopCompression()
        sharedState = shared
        return shared
    }
}
