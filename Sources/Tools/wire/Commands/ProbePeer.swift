// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineTransport

extension Command {
    static let probe = Command(
        name: "probe",
        summary: "find out which framing a server uses (lengths of 1 to 4 bytes), or which known protocol",
        parameters: [.endpoint],
        options: [.silence, .packet, .timeout] + TLSOptions.clientOptions,
        example: "wire probe 127.0.0.1:9001",
        run: { arguments, console throws(CommandError) in
            let endpoint = try HostAndPort(arguments.word(at: 0) ?? "")
            let silence = try TimeSpan(arguments[.silence] ?? "300ms", of: .silence)
            let timeout = try arguments[.timeout].map { text throws(CommandError) in try TimeSpan(text, of: .timeout) }
            let time = timeout?.duration ?? silence.duration * 100
            let deadline = MonotonicTime.now + time
            let packet = try arguments[.packet].map { text throws(CommandError) in try bytes(text) }
            let tls = try TLSOptions.client(arguments)
            let line = ProgressLine(of: "probing \(endpoint)")
            defer { line.clear() }
            let probe: Probe
            do throws(TransportError) {
                probe = Probe(
                    addresses: try await endpoint.addresses(within: time),
                    loop: try EventLoopGroup.shared.nextLoop(), silence: silence.duration,
                    connectTimeout: timeout?.duration ?? .seconds(5), deadline: deadline, packet: packet,
                    progress: line.show, tls: tls.map { ($0.context, $0.serverName ?? endpoint.host) })
            } catch {
                throw .failure("cannot connect to \(endpoint): \(error)")
            }
            let verdict: Probe.Verdict
            do throws(ConnectionError) {
                verdict = try await probe.run()
            } catch {
                throw .failure("cannot connect to \(endpoint): \(error)", hint: hint(for: error))
            }
            line.clear()
            try tell(verdict, of: endpoint, isInsideTLS: tls != nil, hasPacket: packet != nil, console)
        })

    private static func tell(
        _ verdict: Probe.Verdict, of endpoint: HostAndPort, isInsideTLS: Bool, hasPacket: Bool, _ console: Console
    ) throws(CommandError) {
        let speaks = "\(endpoint) speaks \(isInsideTLS ? "TLS, and inside it " : "")"
        switch verdict {
        case .other(ProbeGreeting.tls):
            try console.print("\(speaks)TLS; with --tls, the protocol inside it can be told")
        case .other(let name): try console.print("\(speaks)\(name), no length-prefixed packets")
        case .packets(let framing, let name):
            try console.print("\(speaks)packets with a \(framing)" + (name.isEmpty ? "" : ": \(name)"))
            try console.print(lines: framing.schema)
        case .unframed:
            try console.print("\(endpoint) returns all bytes as they come: it speaks no length-prefixed packets")
        case .unknown(let reason):
            let hint = hasPacket ? nil : "with --send HEX, a packet that it answers, more can be told"
            switch reason {
            case .silent:
                console.report(error: "cannot tell: \(endpoint) takes connections and answers nothing", hint: hint)
            case .unclear(let bytes):
                let text = "what \(endpoint) sends shows no framing: \(start(of: bytes))"
                console.report(error: "cannot tell: \(text)", hint: hint)
            case .restless(let bytes):
                console.report(
                    error: "cannot tell: \(endpoint) sends on its own without a pause: \(start(of: bytes))",
                    hint: "with a shorter --silence, its pauses may show")
            case .late(let bytes):
                let text =
                    bytes.isEmpty ? "\(endpoint) has answered nothing" : "\(endpoint) has sent \(start(of: bytes))"
                console.report(
                    error: "cannot tell within the time: \(text)", hint: "with a longer --timeout, more can be told")
            }
            throw .answerIsNo
        }
    }

    /// Returns a hint if the peer may have no TLS, because it does not answer a handshake or ends it.
    private static func hint(for error: ConnectionError) -> String? {
        switch error {
        case .tls(.notTLS), .tls(.truncated(duringHandshake: true)): "without the --tls options plain TCP is probed"
        default: nil
        }
    }

    private static func start(of bytes: [UInt8]) -> String {
        Hexadecimal.text(of: Array(bytes.prefix(32))) + (bytes.count > 32 ? "…" : "")
    }

    private static func bytes(_ text: String) throws(CommandError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(CodecError) {
            bytes = try Hexadecimal.bytes(of: text)
        } catch {
            throw .usage("\(Option.packet.name): \(error)")
        }
        guard !bytes.isEmpty else { throw .usage("\(Option.packet.name) has no bytes") }
        return bytes
    }
}

extension Option {
    fileprivate static let silence = Option(
        "--silence", value: "TIME", "how long to wait for each answer: 100ms, 1s (default 300ms)")
    fileprivate static let packet = Option(
        "--send", value: "HEX", "a packet that the server answers, if it answers no unknown ones")
    fileprivate static let timeout = Option(
        "--timeout", value: "TIME",
        "the time limit for the whole probe: 10s, 2m (default 100 times --silence; opening a connection may take 5s)")
}
