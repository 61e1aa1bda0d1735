// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineWebSocket

/// Reads lines `name protocol sender states hex` from standard input, and prints for each its name and what `check` says.
/// The states are `-`, or names and numbers: `phase=2,level=-3`.
@main
struct Packets {
    static func main() {
        for failure in limitFailures() + frameFailures() { print("limits: \(failure)") }
        while let line = nextLine() {
            let words = line.split(separator: " ").map { String($0) }
            guard words.count >= 4 else { continue }
            let sender: Sender = words[2] == "server" ? .server : .client
            let context = PacketContext(from: sender, states: states(words[3]))
            let hex = words.count > 4 ? words[4] : ""
            print(words[0] + ": " + transcript(of: words[1], context, hex))
        }
    }
}

private func states(_ text: String) -> PacketStates {
    var states = PacketStates()
    for entry in text.split(separator: ",") {
        let parts = entry.split(separator: "=").map { String($0) }
        if parts.count == 2, let number = Int64(parts[1]) { states[parts[0]] = Int128(number) }
    }
    return states
}

@_extern(c) func next_input_byte() -> Int32

/// The next line of standard input without its end; nil at the end.
private func nextLine() -> String? {
    var line: [UInt8] = []
    while true {
        let byte = next_input_byte()
        if byte < 0 { return line.isEmpty ? nil : String(decoding: line, as: UTF8.self) }
        if byte == 10 { return String(decoding: line, as: UTF8.self) }
        line.append(UInt8(truncatingIfNeeded: byte))
    }
}

/// What becomes of a stream of packets: the error that ends it, or else the packets in hexadecimal after each was read
/// and written again.
func check<Definition: PacketProtocol>(
    _ type: Definition.Type, in context: PacketContext, _ hex: String,
    _ transcode: (borrowing Packet, PacketContext) throws(CodecError) -> [UInt8]?
) -> String {
    guard let bytes = try? Hexadecimal.bytes(of: hex) else { return "no hexadecimal digits" }
    let whole = outcome(type, in: context, bytes, cutAt: 0, transcode)
    // A stream means the same, however it is cut.
    for cut in 1..<max(1, bytes.count) {
        let other = outcome(type, in: context, bytes, cutAt: cut, transcode)
        guard whole.isSame(as: other) else { return "another outcome when cut at \(cut)" }
    }
    return whole.error?.description ?? Hexadecimal.text(of: whole.again)
}

private struct StreamOutcome {
    var again: [UInt8] = []
    var error: CodecError?

    /// Whether both are the same but for what an error says of bytes that had not come yet.
    func isSame(as other: StreamOutcome) -> Bool {
        // A value that is not a number is not equal to itself, but described alike.
        let isSameError = error?.reason == other.error?.reason || error?.description == other.error?.description
        return again == other.again && isSameError && error?.path == other.error?.path
    }
}

private func outcome<Definition: PacketProtocol>(
    _ type: Definition.Type, in context: PacketContext, _ bytes: [UInt8], cutAt cut: Int,
    _ transcode: (borrowing Packet, PacketContext) throws(CodecError) -> [UInt8]?
) -> StreamOutcome {
    var outcome = StreamOutcome()
    var splitter = PacketSplitter(
        layout: Definition.layout, context: context, maximumPacketByteCount: Definition.maximumPacketByteCount)
    do throws(CodecError) {
        for part in [[UInt8](bytes[..<cut]), [UInt8](bytes[cut...])] {
            var rest = part
            // A call ends after a packet that sets a state, and the next one goes on with what is left.
            repeat {
                let current = PacketContext(from: context.sender, states: splitter.states)
                try splitter.receive(rest.span.bytes) { packet throws(CodecError) in
                    if let bytes = try transcode(packet, current) {
                        outcome.again += bytes
                    } else {
                        outcome.again += try Definition.forwarded(packet, in: current)
                    }
                }
                rest = []
            } while splitter.endedAtStateChange
        }
        try splitter.finish()
    } catch {
        outcome.error = error
    }
    return outcome
}

extension PacketProtocol {
    /// The packet's header fields that a caller can set.
    static func settableHeader(of packet: borrowing Packet) throws(CodecError) -> PacketHeader {
        var header = PacketHeader()
        for (name, value) in try layout.header(of: packet).fields {
            switch layout.fields.first(where: { $0.name == name })?.role {
            case .value, .fitting, .sequence: header[value: name] = value
            default: break
            }
        }
        return header
    }

    /// A packet that no message is known for, written again from its payload.
    static func forwarded(_ packet: borrowing Packet, in context: PacketContext) throws(CodecError) -> [UInt8] {
        try layout.layout(in: context).encode(
            id: packet.id, header: settableHeader(of: packet), payload: packet.payload, limit: maximumPacketByteCount)
    }
}

/// The packet of a message that was read, written again in both ways there are.
func transcode<Message: PacketMessage>(
    _ message: Message, _ packet: borrowing Packet, in context: PacketContext
) throws(CodecError) -> [UInt8]? {
    let header = try Message.Definition.settableHeader(of: packet)
    let plain = try plainPacket(message, header, in: context)
    let again = try Message(packet: plain.span.bytes, in: context)
    // Bytes are compared, for a value that is not a number is not equal to itself.
    guard try plainPacket(again, header, in: context) == plain else { throw CodecError(.invalidHex) }
    return try message.encoded(header: header, in: context)
}

/// The packet with the header's defaults. Only a message that looks at the header is written with that.
private func plainPacket<Message: PacketMessage>(
    _ message: Message, _ header: PacketHeader, in context: PacketContext
) throws(CodecError) -> [UInt8] {
    if Message.looksAtHeader { return try message.encoded(header: header, in: context) }
    // Its packets differ by their sender, or by the states of the connection.
    let layout = Message.Definition.layout
    let needsContext = layout.hasStates || Message.packetSender == nil && layout.dependsOnContext
    return try needsContext ? message.encoded(in: context) : message.encoded()
}
