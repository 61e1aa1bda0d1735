// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineWebSocket

/// The test cases of a server that tests WebSocket clients, such as Autobahn's.
///
/// Each case is a connection on which this side echoes every message.
struct TestCases {
    let url: WebSocketURL
    /// The name of this client in the server's reports.
    let agent: String
    let configuration: WebSocketClientConfiguration
    let console: Console

    /// Runs all cases, and then lets the server write its reports.
    func run() async throws(CommandError) {
        let count = try await caseCount()
        var refusedCount = 0
        for number in 1...max(1, count) where number <= count {
            console.report(progress: "case \(number) of \(count)")
            guard await runCase(number) else {
                refusedCount += 1
                continue
            }
        }
        console.report(progress: "")
        try await updateReports()
        let refused = refusedCount == 0 ? "" : ", of which \(refusedCount) did not open"
        try console.print("\(count) cases as \(agent)\(refused)")
    }

    private func caseCount() async throws(CommandError) -> Int {
        let message: WebSocketMessage?
        do throws(ConnectionError) {
            let client = try await connect("getCaseCount")
            message = try await client.receive()
            try await client.close()
        } catch {
            throw .failure("cannot ask \(url) for the number of cases: \(error)")
        }
        guard case .text(let text)? = message, let count = Int(text), count >= 0 else {
            throw .failure("\(url) does not say how many cases there are")
        }
        return count
    }

    /// Returns whether the WebSocket was opened. The server decides whether the case has passed.
    private func runCase(_ number: Int) async -> Bool {
        let client: WebSocketClient
        do throws(ConnectionError) {
            client = try await connect("runCase?case=\(number)&agent=\(Self.encoded(agent))")
        } catch {
            console.report(progress: "")
            console.report("note: case \(number) did not open: \(error)")
            return false
        }
        do throws(ConnectionError) {
            while let message = try await client.receive() { try await client.send(message) }
        } catch {
            // In many cases the server violates the protocol or closes early, so errors are expected.
        }
        _ = try? await client.close()
        return true
    }

    private func updateReports() async throws(CommandError) {
        do throws(ConnectionError) {
            let client = try await connect("updateReports?agent=\(Self.encoded(agent))")
            while try await client.receive() != nil {}
        } catch {
            throw .failure("\(url) does not write its reports: \(error)")
        }
    }

    private func connect(_ target: String) async throws(ConnectionError) -> WebSocketClient {
        let slash = url.path.hasSuffix("/") ? "" : "/"
        var configuration = configuration
        // A URL is printed without its credentials, so they are set separately.
        configuration.credentials = url.credentials
        return try await WebSocketClient.connect(to: "\(url)\(slash)\(target)", configuration: configuration)
    }

    /// Escapes a value for a query (RFC 3986 §3.4).
    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: String(UnicodeScalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }
}
