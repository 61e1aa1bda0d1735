// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineTransport

/// A server that is a program of its own, and says at which port it listens; ended with the value.
final class PeerProcess {
    private let process: Process
    /// Some end when it does.
    private let input = Pipe()
    private let output = Pipe()
    let port: UInt16

    /// Whether the program is there, or must be.
    static func isWanted(_ program: String) -> Bool {
        let environment = ProcessInfo.processInfo.environment
        let isThere = (environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
        }
        return isThere || environment["WIRELINE_REQUIRE_PEERS"] == "1"
    }

    /// Starts it, and waits until it has printed something.
    ///
    /// - Parameter port: Where it listens, if it does not say; else the last number in what it prints.
    init(_ line: String, in workspace: Workspace, port: UInt16? = nil) throws {
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
                found = text.contains("Ready to accept") ? port : nil
                continue
            }
            found = text.matches(of: /(?:127\.0\.0\.1:|port )(\d+)/).last.flatMap { UInt16($0.1) }
        }
        self.port = try #require(found)
    }

    struct DidNotListen: Error {
        var output: String
    }

    func stop() {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    deinit { stop() }
}

/// A server of this process that takes bytes as they come; for as long as the value lives.
final class RawPeer: Sendable {
    let address: String
    private let listener: Listener

    fileprivate init(_ listener: Listener) {
        self.listener = listener
        address = listener.address.description
    }

    /// Nobody listens there any more when it returns.
    func close() async {
        let listener = listener
        await listener.loop.run { listener.close() }
    }

    deinit {
        let listener = listener
        listener.loop.execute { listener.close() }
    }
}

/// Starts a server that answers whatever comes.
///
/// - Parameters:
///   - greets: Whether it sends random bytes first.
///   - endsBehindAnswer: Whether it ends a connection when it has answered.
///   - answer: What it says to all that has come on a connection, and to what has come last.
func rawPeer(
    greets: Bool = false, endsBehindAnswer: Bool = false,
    _ answer: @escaping @Sendable (_ all: [UInt8], _ new: [UInt8]) -> [UInt8]
) async throws -> RawPeer {
    let listener = try Listener.bind(to: .loopback(port: 0), on: EventLoopGroup.shared)
    listener.start { stream in
        let handler = RawHandler(endsBehindAnswer: endsBehindAnswer, answer)
        try? stream.start(handler)
        handler.own = handler
        if greets { handler.greet(stream) }
        stream.read()
    }
    return RawPeer(listener)
}

/// Belongs to its stream's loop, which is the lock behind `@unchecked Sendable`.
private final class RawHandler: ByteStreamHandler, @unchecked Sendable {
    private let endsBehindAnswer: Bool
    private let answer: @Sendable ([UInt8], [UInt8]) -> [UInt8]
    private var all: [UInt8] = []
    /// Nobody else holds it; until the connection ends.
    var own: RawHandler?

    init(endsBehindAnswer: Bool, _ answer: @escaping @Sendable ([UInt8], [UInt8]) -> [UInt8]) {
        self.endsBehindAnswer = endsBehindAnswer
        self.answer = answer
    }

    func greet(_ stream: ByteStream) {
        stream.write((0..<37).map { _ in .random(in: 128...255) })
        stream.flush()
    }

    func received(_ block: inout Block?, byteCount: Int, from stream: ByteStream) {
        guard let taken = block.take() else { return }
        let new = Array(UnsafeRawBufferPointer(start: taken.base, count: byteCount))
        stream.giveBack(taken)
        all += new
        let answer = answer(all, new)
        stream.write(answer)
        stream.flush()
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
