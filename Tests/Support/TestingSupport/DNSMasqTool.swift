// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The DNS server `dnsmasq` on loopback, which knows only its given records; it ends when this object does.
public final class DNSMasqTool {
    /// Whether to run the tests that need it: it is installed, or `WIRELINE_REQUIRE_PEERS=1` requires it, so that its
    /// absence is a failure.
    public static let isWanted = path != nil || Peers.areRequired

    /// The message of a test that is skipped.
    public static let absence = "dnsmasq is not on the PATH: install dnsmasq-base"

    private static let path = Peers.path(of: "dnsmasq")

    /// The server closes all inherited descriptors. Foundation would then take it for ended, and wait for it on the
    /// thread that handles all processes. So a shell stands between, which ends the server at the end of the shell's
    /// input.
    private static let script = #""$@" & exec 2> /dev/null; read -r end; kill -9 $!"#

    /// Its port on 127.0.0.1.
    public let port: UInt16
    private let process: Process
    private let input: Pipe

    /// Starts the server, and returns when it answers.
    ///
    /// - Parameter records: Options such as `--host-record=game.test,192.0.2.7`.
    public init(_ records: [String]) throws {
        guard let path = Self.path else { throw Failure(description: Self.absence) }
        var text = ""
        // A port in use ends the server, and another one is tried. The system chooses ports for others from 32,768 on.
        for _ in 0..<20 {
            let (process, input, output) = (Process(), Pipe(), Pipe())
            let port = UInt16.random(in: 20_000..<32_768)
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments =
                ["-c", Self.script, "sh", path]
                + [
                    "--keep-in-foreground", "--log-facility=-", "--port=\(port)", "--listen-address=127.0.0.1",
                    "--bind-interfaces", "--no-hosts", "--no-resolv", "--conf-file=/dev/null", "--pid-file=", "--user=",
                    "--group=",
                ] + records
            process.standardInput = input
            process.standardError = output
            try process.runWatched()
            text = ""
            while !text.contains("started, version") {
                let more = output.fileHandleForReading.availableData
                guard !more.isEmpty else { break }
                text += String(decoding: more, as: UTF8.self)
            }
            if text.contains("started, version") {
                (self.process, self.input, self.port) = (process, input, port)
                return
            }
            try input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
        throw Failure(description: "dnsmasq does not start: \(text)")
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
