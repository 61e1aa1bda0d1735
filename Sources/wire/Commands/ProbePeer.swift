// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineTransport

extension Command {
    /// `wire probe`
    static let probe = Command(
        name: "probe",
        summary: "say which framing a server speaks, with lengths of 1 to 4 bytes, or which other protocol",
        parameters: [.endpoint],
        options: [.silence, .packet, .timeout],
        example: "wire probe 127.0.0.1:9001",
        run: { arguments, console throws(CommandError) in
            let endpoint = try Endpoint(arguments.word(at: 0) ?? "")
            let silence = try TimeSpan(arguments[.silence] ?? "300ms", of: .silence)
            let timeout = try TimeSpan(arguments[.timeout] ?? "5s", of: .timeout)
            let packet = try arguments[.packet].map { text throws(CommandError) in try bytes(text) }
            let line = ProgressLine(of: "probing \(endpoint)")
            defer { line.clear() }
            let verdict: Probe.Verdict
            do throws(TransportError) {
                let probe = Probe(
                    addresses: try await endpoint.addresses(), loop: try EventLoopGroup.shared.nextLoop(),
                    silence: silence.duration, connectTimeout: timeout.duration, packet: packet, progress: line.show)
                verdict = try await probe.run()
            } catch {
                throw .failure("cannot connect to \(endpoint): \(error)")
            }
            line.clear()
            try tell(verdict, of: endpoint, hasPacket: packet != nil, console)
        })

    private static func tell(
        _ verdict: Probe.Verdict, of endpoint: Endpoint, hasPacket: Bool, _ console: Console
    ) throws(CommandError) {
        switch verdict {
        case .other(let name): try console.print("\(endpoint) speaks \(name), no length-prefixed packets")
        case .packets(let framing, let name):
            try console.print("\(endpoint) speaks packets with a \(framing)" + (name.isEmpty ? "" : ": \(name)"))
            try console.print(framing.schema)
        case .unframed:
            try console.print("\(endpoint) returns all bytes as they come: it speaks no length-prefixed packets")
        case .unknown(let reason):
            let hint = hasPacket ? nil : "with --send HEX, a packet that it answers, more can be told"
            switch reason {
            case .silent:
                console.report(error: "cannot tell: \(endpoint) takes connections and answers nothing", hint: hint)
            case .unclear(let bytes):
                let text = Hexadecimal.text(of: Array(bytes.prefix(32))) + (bytes.count > 32 ? "…" : "")
                console.report(error: "cannot tell: what \(endpoint) sends shows no framing: \(text)", hint: hint)
            }
            throw .answerIsNo
        }
    }

    private static func bytes(_ text: String) throws(CommandError) -> [UInt8] {
        do throws(CodecError) {
            return try Hexadecimal.bytes(of: text)
        } catch {
            throw .failure("\(Option.packet.name): \(error)")
        }
    }
}

extension Option {
    fileprivate static let silence = Option(
        "--silence", value: "TIME", "after how long without an answer there is none: 100ms, 1s (default 300ms)")
    fileprivate static let packet = Option(
        "--send", value: "HEX", "a packet that the server answers, where it answers no others")
    fileprivate static let timeout = Option(
        "--timeout", value: "TIME", "for each connection to be made: 500ms, 5s (default 5s)")
}
