// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestingSupport
import Wireline
import WirelineCodec
import WirelineTransport

/// `wire serve`, or another command that serves, running. It ends with the value, if not before.
final class ServingTool {
    private let process: Process
    private let output = Pipe()
    private let errors = Pipe()
    /// The folder that it runs in.
    let workspace: Workspace
    /// The address that it has printed.
    let address: String

    /// Starts it, and waits until it listens.
    convenience init(
        _ words: String..., at endpoint: String = "127.0.0.1:0",
        files: KeyValuePairs<String, String> = ["Protocols/Scene/Scene.wire": sceneSchema]
    ) throws {
        try self.init(words, at: endpoint, files: files)
    }

    convenience init(
        _ words: [String], at endpoint: String = "127.0.0.1:0", files: KeyValuePairs<String, String>
    ) throws {
        // Only the limits that a test sets may end a connection, however busy the machine is.
        let patience = [
            "--first-packet-timeout", "none", "--minimum-rate", "none", "--minimum-reading-rate", "none",
        ]
        try self.init(running: ["serve", endpoint, "--echo"] + patience + words, files: files)
    }

    /// The output after the first line that was not read yet.
    private var waiting = ""

    /// Starts another command that serves.
    ///
    /// - Parameters:
    ///   - descriptorLimit: The number of descriptors that it may have.
    ///   - shellPrefix: A shell command to run before it.
    init(
        running words: [String], files: KeyValuePairs<String, String> = [:], descriptorLimit: Int? = nil,
        shellPrefix: String? = nil
    ) throws {
        workspace = try Workspace(files)
        let prefix = shellPrefix ?? descriptorLimit.map { "ulimit -n \($0);" }
        process = workspace.process(words)
        if let prefix, let program = process.executableURL {
            let line = ([program.path] + words).map { "'\($0)'" }.joined(separator: " ")
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", "\(prefix) exec \(line)"]
        }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.runWatched()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard line.hasPrefix("listening on "), let end = line.firstIndex(of: "\n") else {
            let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            throw DidNotListen(output: line, errors: text)
        }
        address = String(line[..<end].dropFirst("listening on ".count))
        waiting = String(line[line.index(after: end)...])
    }

    /// The next line that it prints; nil after it has ended.
    func nextLine() -> String? {
        while true {
            if let end = waiting.firstIndex(of: "\n") {
                defer { waiting = String(waiting[waiting.index(after: end)...]) }
                return String(waiting[..<end])
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { return nil }
            waiting += String(decoding: more, as: UTF8.self)
        }
    }

    struct DidNotListen: Error {
        var output: String
        var errors: String
    }

    deinit { if process.isRunning { send(SIGKILL) } }

    var port: UInt16 { address.split(separator: ":").last.flatMap { UInt16($0) } ?? 0 }
    var processID: Int32 { process.processIdentifier }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// The new output on standard error, as soon as there is some; empty after it has ended.
    func nextErrors() -> String { String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self) }

    /// The note that it prints if a connection does not end at once.
    static let note = "note: waiting for 1 connection to end; Ctrl-C ends at once\n"

    /// Waits until it has ended, however busy the machine is. Returns its results, without the output that was read
    /// before, and without ``note``.
    func outcome() -> Outcome {
        let rest = waiting + String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        return Outcome(status: status, output: rest, errors: text.replacing(Self.note, with: ""))
    }

    /// Asks it to end, and waits for that.
    func end(with signal: Int32 = SIGTERM) -> Outcome {
        send(signal)
        return outcome()
    }

    /// Asks it to end, and waits for that without reading its output.
    func endUnread() -> Int32 {
        send(SIGTERM)
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    /// Runs `wire` in the same folder, with these arguments.
    func wire(_ words: String..., input: Data = Data()) throws -> Outcome {
        try wire(words, input: input)
    }

    func wire(_ words: [String], input: Data = Data()) throws -> Outcome {
        let words = words.first == "call" ? words.withPatience : words
        return try workspace.shell("wire " + words.map { "'\($0)'" }.joined(separator: " "), input: input)
    }

    /// A connection to it.
    func connect(_ layout: PacketLayout = .standard) async throws -> PacketConnection {
        try await Self.connect(to: port, layout)
    }

    static func connect(to port: UInt16, _ layout: PacketLayout = .standard) async throws -> PacketConnection {
        try await PacketConnection.connect(
            to: "127.0.0.1", port: port, layout: layout, packetLimit: 32 << 20, configuration: .patient)
    }
}

extension [String] {
    /// The arguments of a `wire call`, with a timeout for a busy machine unless they have one.
    var withPatience: [String] {
        contains { $0 == "--timeout" || $0.hasPrefix("--timeout=") } ? self : self + ["--timeout", "20m"]
    }
}

extension ClientConfiguration {
    /// Timeouts for a busy machine.
    static let patient = ClientConfiguration(
        dialing: DialingOptions(connectTimeout: .seconds(500)), requestTimeout: .seconds(500),
        limits: ConnectionLimits(writeTimeout: nil))
}

extension Outcome {
    /// Whether a server has ended without an error, and has reported nothing except clients that do not read: on a busy
    /// machine they may do so for longer than the server waits.
    var isGoodButForIdleClients: Bool {
        let complaint = ": it has sent nothing, or has taken nothing of what was sent to it, for too long"
        return status == 0 && output.isEmpty && errors.split(separator: "\n").allSatisfy { $0.hasSuffix(complaint) }
    }
}

extension PacketConnection {
    /// Sends bytes in one piece. They need not be a packet.
    func sendRaw(_ bytes: [UInt8]) async {
        await loop.run {
            self.stream.write(bytes)
            self.stream.flush()
        }
    }

    /// The bytes of all packets until the peer ends.
    func rest() async throws -> [[UInt8]] {
        var packets: [[UInt8]] = []
        while let packet = try await next() { packets.append([UInt8](copying: packet.bytes)) }
        return packets
    }
}

/// A peer for `wire call`, in this process. It handles each connection with `handler`, and has timeouts for a busy
/// machine.
func peer(
    _ layout: PacketLayout = .standard, _ handler: @escaping @Sendable (PacketConnection) async throws -> Void
) async throws -> PacketListener {
    try await PacketListener.start(
        at: "127.0.0.1", port: 0, layout: layout, packetLimit: 1 << 20,
        configuration: ServerConfiguration(
            listening: ListeningOptions(minimumRate: nil, minimumReadingRate: nil), firstPacketTimeout: nil,
            limits: ConnectionLimits(writeTimeout: nil)),
        handler: .task { listener, connection in
            Task(executorPreference: connection.loop) {
                listener.taskBegins(connection)
                var failure: (any Error)?
                do { try await handler(connection) } catch { failure = error }
                listener.taskEnds(connection, failure)
            }
        })
}

/// A packet of the standard layout.
func standardPacket(id: UInt64, _ payload: [UInt8]) throws -> [UInt8] {
    try PacketLayout.standard.encode(id: id, payload: payload.span.bytes, limit: 64 << 20)
}
