// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import TestingSupport
import WirelineCodec
import WirelineErlang
import WirelineSchema

/// A packet becomes a record exactly if it becomes JSON, or is refused for the same reason; what it becomes is a term, and
/// the packet of that term has the same JSON.
///
/// The protocol's byte, then a packet: see ``Input/packet(of:)``.
enum RecordCheck {
    static func check(_ bytes: [UInt8]) throws(Finding) {
        var input = Input(bytes)
        let subject = input.subject()
        guard let packet = input.packet(of: subject) else { return }
        try check(packet.bytes, in: packet.context, subject)
    }

    private static func check(_ packet: [UInt8], in context: PacketContext, _ subject: Subject) throws(Finding) {
        let translator = subject.translator
        var writer = ErlangTermWriter()
        var line: JSONValue?
        var faults: [String] = []
        do throws(CodecError) { line = try translator.decode(packet.span.bytes, in: context) } catch {
            // By text: a reason that holds a NaN is not equal to itself.
            faults.append("\(error)")
        }
        do throws(CodecError) { try subject.records.write(packet, in: context, to: &writer) } catch {
            faults.append("\(error)")
        }
        guard let line else {
            return try require(faults.count == 2 && faults[0] == faults[1], "refused with \(faults)")
        }
        try require(faults.isEmpty, "only refused as a record: \(faults)")
        let term = try readTerm(writer.bytes)
        guard case .tuple(let parts) = term, parts.count == 2 else { throw Finding("no pair: \(term)") }
        // What some packets mean cannot be written again, such as the size of what a reader skips.
        let again = try? translator.encode(
            line: translator.settable(line), from: context.sender, states: context.states)
        guard let again, let written = try? RecordTermCheck.packet(of: parts[1], in: context, subject) else { return }
        // Other header values than the defaults are not in it, so only what the message says is compared.
        let lines = [again, written].map { try? translator.decode($0.span.bytes, in: context)["fields"] }
        try require(lines[0] == lines[1], "\(term) is written as \(lines)")
    }

    static func readTerm(_ bytes: [UInt8]) throws(Finding) -> ErlangTerm {
        do throws(ErlangError) {
            try ErlangTermReader(bytes.span.bytes).check()
            return try ErlangTerm(externalFormat: ([131] + bytes).span.bytes)
        } catch {
            throw Finding("a record that is no term: \(error)")
        }
    }
}

/// Bytes that are a message are written as a packet that is read as a term, which is written as the same packet.
///
/// The protocol's byte, a byte for the context, then a term without the version byte.
enum RecordTermCheck {
    static func check(_ bytes: [UInt8]) throws(Finding) {
        var input = Input(bytes)
        let subject = input.subject()
        let context = subject.contexts[input.choice(of: subject.contexts.count)]
        let packet: [UInt8]
        do throws(ErlangRecordError) {
            packet = try subject.records.packet(
                ofTerm: Array(input.rest).span.bytes, from: context.sender, states: context.states)
        } catch {
            return try require(!error.description.isEmpty, "an error without words")
        }
        var writer = ErlangTermWriter()
        do throws(CodecError) { try subject.records.write(packet, in: context, to: &writer) } catch {
            let term = try RecordCheck.readTerm(Array(input.rest))
            return try require(hasGivenPayload(term), "written, but not read: \(error)")
        }
        guard case .tuple(let parts) = try RecordCheck.readTerm(writer.bytes), parts.count == 2 else {
            throw Finding("no pair")
        }
        _ = try? Self.packet(of: parts[1], in: context, subject)
    }

    /// Whether a message is `{unknown, Id, Payload}`, or a packet inside of it has one.
    ///
    /// Such a payload is written whatever its bytes are. With the ID of a message it may be none of that message's payloads.
    private static func hasGivenPayload(_ term: ErlangTerm) -> Bool {
        guard case .tuple(let parts) = term else { return false }
        switch (parts.count, parts[0]) {
        case (2, .map): return hasGivenPayload(parts[1])
        case (3, .atom("unknown")): return true
        case (3, .atom("packets")):
            guard case .list(let packets) = parts[2] else { return false }
            return packets.contains(where: hasGivenPayload)
        default: return false
        }
    }

    static func packet(of term: ErlangTerm, in context: PacketContext, _ subject: Subject) throws -> [UInt8] {
        var writer = ErlangTermWriter()
        try writer.write(term)
        return try subject.records.packet(
            ofTerm: writer.bytes.span.bytes, from: context.sender, states: context.states)
    }
}
