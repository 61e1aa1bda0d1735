// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Testing
import TestingSupport
import WirelineTransport

/// Streams whose bytes differ from those on the wire. TLS is one such transform; this one can do on demand what TLS
/// does only with rare peers.
@Suite(.ahead)
struct StreamTransformTests {
    @Test(arguments: [1, 4_095, 4_096, 131_072, 300_000])
    func `an echo returns all bytes, however many are written at once`(byteCount: Int) async throws {
        var random = SeededGenerator.forThisRun()
        let pair = try await StreamPair.make(server: .echo, transforms: (Scrambler(), Scrambler()))
        let bytes = random.bytes(byteCount)
        await pair.client.write(bytes)
        await pair.clientRecorder.wait { $0.received.count >= byteCount }
        #expect(pair.clientRecorder.state.received == bytes)
        #expect(await pair.client.onLoop { pair.client.pendingByteCount } == 0)
        await pair.close()
    }

    @Test func `bytes and an end written before the handshake is done leave after it`() async throws {
        let pair = try await StreamPair.make(transforms: (Scrambler(mayGreet: false), Scrambler()))
        await pair.client.write([1, 2, 3])
        await pair.client.onLoop {
            pair.client.endOutput()
            pair.client.flush()
        }
        #expect(pair.serverRecorder.state.received.isEmpty)
        await pair.client.onLoop {
            (pair.client.transform as? Scrambler)?.greet()
            pair.client.flush()
        }
        await pair.serverRecorder.wait(until: \.hasEnded)
        #expect(pair.serverRecorder.state.received == [1, 2, 3])
        await pair.close()
    }

    @Test func `a transform that takes no output until input comes blocks nothing else`() async throws {
        let pair = try await StreamPair.make(transforms: (Scrambler(), Scrambler()))
        await pair.server.write([1])
        await pair.clientRecorder.wait { $0.received == [1] }
        await pair.server.sendControl(.beginMessage)
        try await pair.client.waitForMessage()
        await pair.client.write([2, 3])
        // The loop takes a turn for it, and continues.
        await pair.client.onLoop { pair.client.flush() }
        #expect(await pair.client.onLoop { pair.client.pendingByteCount } == 2)
        #expect(pair.serverRecorder.state.received.isEmpty)
        await pair.server.sendControl(.endMessage)
        await pair.serverRecorder.wait { $0.received == [2, 3] }
        await pair.close()
    }

    @Test func `wire bytes without content do not delay timers`() async throws {
        let pair = try await StreamPair.make(transforms: (Scrambler(), Scrambler()))
        await pair.server.write([1])
        await pair.clientRecorder.wait { $0.received == [1] }
        let flood = Task {
            while !Task.isCancelled { await pair.server.sendNothingWhereThereIsRoom(count: 1 << 16) }
        }
        for _ in 0..<3 {
            await withCheckedContinuation { continuation in
                pair.client.loop.execute {
                    pair.client.loop.schedule(at: .now + .milliseconds(1)) { continuation.resume() }
                }
            }
        }
        flood.cancel()
        await flood.value
        await pair.server.write([2])
        await pair.clientRecorder.wait { $0.received == [1, 2] }
        await pair.close()
    }

    @Test func `the end of stream is reported once, whatever comes after it`() async throws {
        let pair = try await StreamPair.make(transforms: (Scrambler(), Scrambler()))
        // Bytes written before that would leave after the end.
        #expect(try await eventually { await pair.server.onLoop { pair.server.transform?.isReady == true } })
        await pair.server.write([1])
        await pair.server.sendControl(.leave)
        await pair.server.sendControl(.nothing, count: 100)
        await pair.clientRecorder.wait(until: \.hasEnded)
        await pair.server.onLoop { pair.server.endOutput() }
        // The other direction stays open.
        await pair.client.write([2])
        await pair.serverRecorder.wait { $0.received == [2] }
        #expect(pair.clientRecorder.state.received == [1])
        #expect(pair.clientRecorder.state.endCount == 1)
        #expect(pair.clientRecorder.state.failure == nil)
        await pair.close()
    }

    @Test func `an end of the connection without the transform's own end is a failure`() async throws {
        let pair = try await StreamPair.make(transforms: (Scrambler(), nil))
        await pair.server.write([
            Scrambler.Control.greeting.rawValue, Scrambler.Control.data.rawValue, 7 ^ Scrambler.mask,
        ])
        await pair.clientRecorder.wait { $0.received == [7] }
        await pair.server.onLoop { pair.server.endOutput() }
        await pair.clientRecorder.wait { $0.failure != nil }
        #expect(pair.clientRecorder.state.endCount == 0)
        await pair.close()
    }

    @Test func `a peer that reads nothing loses its connection, whatever it sends meanwhile`() async throws {
        let pair = try await StreamPair.make(server: .stall, transforms: (Scrambler(), nil))
        await pair.client.onLoop { pair.client.writeTimeout = .milliseconds(300) }
        await pair.server.write([Scrambler.Control.greeting.rawValue])
        await pair.client.write([UInt8](repeating: 1, count: 16 << 20))
        let talking = Task {
            while !Task.isCancelled {
                await pair.server.write([Scrambler.Control.nothing.rawValue])
                await pair.client.onLoop { pair.client.flush() }
            }
        }
        await pair.clientRecorder.wait { $0.failure == .timedOut }
        talking.cancel()
        await talking.value
        await pair.close()
    }
}

/// Encodes each byte as two, after a greeting. Some bytes on the wire carry no content.
final class Scrambler: StreamTransform {
    enum Control: UInt8 {
        case greeting = 1
        /// The next byte is one of the stream's, scrambled.
        case data
        case nothing
        /// From here to the end of the message nothing can be sent.
        case beginMessage
        case endMessage
        case leave
    }

    static let mask: UInt8 = 0x5A
    private static let outputLimit = 4_096

    private var output: [UInt8] = []
    private var mayGreet: Bool
    private var hasGreeted = false
    private var isGreeted = false
    private var isInsideMessage = false
    private var isInsideByte = false
    private var hasReceivedEnd = false
    private var hasEnded = false
    private(set) var hasBegun = false

    init(mayGreet: Bool = true) {
        self.mayGreet = mayGreet
    }

    var isReady: Bool { hasGreeted && isGreeted }
    var hasOutput: Bool { !output.isEmpty }
    var heldOutputByteCount: Int { output.capacity }

    var owesEnd: Bool { false }

    func start() {
        if mayGreet { greet() }
    }

    func greet() {
        hasGreeted = true
        output.append(Control.greeting.rawValue)
    }

    func control(_ control: Control, count: Int) {
        output += [UInt8](repeating: control.rawValue, count: count)
    }

    func receive(_ bytes: RawSpan, into room: UnsafeMutableRawBufferPointer) -> TransformReading {
        var (taken, filled) = (0, 0)
        func reading(_ stop: TransformReading.Stop) -> TransformReading {
            TransformReading(takenByteCount: taken, filledByteCount: filled, stop: stop)
        }
        while taken < bytes.byteCount {
            guard !hasReceivedEnd else { return reading(.ended) }
            let byte = bytes.unsafeLoad(fromByteOffset: taken, as: UInt8.self)
            if isInsideByte {
                guard filled < room.count else { return reading(.needsRoom) }
                room[filled] = byte ^ Self.mask
                filled += 1
                isInsideByte = false
            } else {
                guard let control = Control(rawValue: byte) else { return reading(.failed) }
                if control == .beginMessage { hasBegun = true }
                switch control {
                case .greeting: isGreeted = true
                case .data: isInsideByte = true
                case .nothing: break
                case .beginMessage: isInsideMessage = true
                case .endMessage: isInsideMessage = false
                case .leave: hasReceivedEnd = true
                }
            }
            taken += 1
        }
        return reading(hasReceivedEnd ? .ended : .needsBytes)
    }

    func endOfInput() throws(TransformFailure) {
        if !hasReceivedEnd { throw TransformFailure() }
    }

    func send(_ bytes: RawSpan) -> Int {
        guard !isInsideMessage else { return 0 }
        let count = min(bytes.byteCount, (Self.outputLimit - output.count) / 2)
        for offset in 0..<max(0, count) {
            output.append(Control.data.rawValue)
            output.append(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self) ^ Self.mask)
        }
        return max(0, count)
    }

    func endOutput() {
        guard !hasEnded else { return }
        hasEnded = true
        output.append(Control.leave.rawValue)
    }

    func withOutput(_ body: (RawSpan) -> Int) {
        let lent = output
        output.removeFirst(body(lent.span.bytes))
    }
}

extension ByteStream {
    fileprivate func sendControl(_ control: Scrambler.Control, count: Int = 1) async {
        await onLoop {
            (self.transform as? Scrambler)?.control(control, count: count)
            self.flush()
        }
    }

    /// Sends bytes without content, unless the system has not taken the previous ones.
    fileprivate func sendNothingWhereThereIsRoom(count: Int) async {
        await onLoop {
            guard let transform = self.transform as? Scrambler, !transform.hasOutput else { return }
            transform.control(.nothing, count: count)
            self.flush()
        }
    }

    /// Waits until a message has begun in which nothing can be sent.
    fileprivate func waitForMessage() async throws {
        #expect(try await eventually { await onLoop({ (self.transform as? Scrambler)?.hasBegun != false }) })
    }
}
