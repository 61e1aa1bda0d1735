// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineTransport

/// A server in a process of its own, which tells its port. It ends with the value.
final class PeerProcess {
    private let process: Process
    /// Some programs end when it does.
    private let input = Pipe()
    private let output = Pipe()
    let port: UInt16

    /// Starts the program, and waits until it has printed something.
    ///
    /// - Parameters:
    ///   - port: Its port, if it does not print it; by default the last number in its output.
    ///   - announcement: What it prints when it listens, if it does not print the port.
    init(
        _ line: String, in workspace: Workspace, port: UInt16? = nil,
        announcing announcement: String = "Ready to accept"
    ) throws {
        process = workspace.process(shell: "exec " + line)
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.runWatched()
        var text = ""
        var found: UInt16?
        while found == nil {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw DidNotListen(output: text) }
            text += String(decoding: data, as: UTF8.self)
            guard port == nil else {
                found = text.contains(announcement) ? port : nil
                continue
            }
            found = text.matches(of: /(?:127\.0\.0\.1:|port )(\d+)/).last.flatMap { UInt16($0.1) }
        }
        self.port = try #require(found)
    }

    struct DidNotListen: Error {
        var output: String
    }

    /// Returns a server that cannot choose a port itself. A port that was free may be in use by now: then it is started
    /// again with another one.
    static func onFreePort(_ start: (_ port: UInt16) throws -> PeerProcess) async throws -> PeerProcess {
        var failureCount = 0
        while true {
            let free = try await rawPeer { _, _ in [] }
            let port = try #require(free.address.split(separator: ":").last.flatMap { UInt16($0) })
            await free.close()
            do {
                return try start(port)
            } catch let error as DidNotListen {
                failureCount += 1
                guard failureCount < 10 else { throw error }
            }
        }
    }

    func stop() {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    deinit { stop() }
}

/// A server in this process that takes bytes as they come, as long as the value lives.
final class RawPeer: Sendable {
    let address: String
    private let listener: Listener

    fileprivate init(_ listener: Listener) {
        self.listener = listener
        address = listener.address.description
    }

    /// After it returns, the port is closed.
    func close() async {
        let listener = listener
        await listener.loop.run { listener.close() }
    }

    deinit {
        let listener = listener
        listener.loop.execute { listener.close() }
    }
}

/// Starts a server that answers any bytes.
///
/// - Parameters:
///   - greeting: The bytes that it sends first.
///   - isTrickling: Whether it then sends zeros without end, one by one, to each client that was greeted or has sent
///     bytes.
///   - endsBehindAnswer: Whether it ends a connection after its answer.
///   - answer: The answer to all bytes that have come on a connection, and to the last ones.
func rawPeer(
    greeting: [UInt8] = [], isTrickling: Bool = false, endsBehindAnswer: Bool = false,
    _ answer: @escaping @Sendable (_ all: [UInt8], _ new: [UInt8]) -> [UInt8]
) async throws -> RawPeer {
    let listener = try Listener.bind(to: .loopback(port: 0), on: EventLoopGroup.shared)
    listener.start { stream in
        let handler = RawHandler(isTrickling: isTrickling, endsBehindAnswer: endsBehindAnswer, answer)
        try? stream.start(handler)
        handler.own = handler
        if !greeting.isEmpty { handler.say(greeting, to: stream) }
        stream.read()
    }
    return RawPeer(listener)
}

/// Belongs to its stream's loop, which replaces a lock: hence `@unchecked Sendable`.
private final class RawHandler: ByteStreamHandler, @unchecked Sendable {
    private let isTrickling: Bool
    private let endsBehindAnswer: Bool
    private let answer: @Sendable ([UInt8], [UInt8]) -> [UInt8]
    private var all: [UInt8] = []
    /// Keeps itself alive until the connection ends.
    var own: RawHandler?

    init(isTrickling: Bool, endsBehindAnswer: Bool, _ answer: @escaping @Sendable ([UInt8], [UInt8]) -> [UInt8]) {
        self.isTrickling = isTrickling
        self.endsBehindAnswer = endsBehindAnswer
        self.answer = answer
    }

    func say(_ bytes: [UInt8], to stream: ByteStream) {
        stream.write(bytes)
        stream.flush()
        if isTrickling, stream.isOpen { trickle(to: stream) }
    }

    private func trickle(to stream: ByteStream) {
        stream.loop.schedule(at: stream.loop.now + .milliseconds(5)) {
            guard stream.takesOutput else { return }
            self.say([0], to: stream)
        }
    }

    func received(_ block: inout Block?, byteCount: Int, from stream: ByteStream) {
        guard let taken = block.take() else { return }
        let new = Array(UnsafeRawBufferPointer(start: taken.base, count: byteCount))
        stream.giveBack(taken)
        all += new
        let answer = answer(all, new)
        say(answer, to: stream)
        if endsBehindAnswer, !answer.isEmpty { stream.endOutput() }
        if stream.isOpen { stream.read() }
    }

    func outputDrained(_ stream: ByteStream) {}

    func endOfStream(_ stream: ByteStream) {
        stream.close()
        own = nil
    }

    func failed(_ stream: ByteStream, _ error: TransportError) { own = nil }
}
