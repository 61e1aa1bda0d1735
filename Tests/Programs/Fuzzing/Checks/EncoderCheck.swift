// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import TestingSupport
import WirelineCodec
import WirelineSchema

/// JSON that is encoded gives a packet on which both codecs agree, and whose own JSON gives it again.
///
///     +----------+------+------ - - -
///     | protocol | role | JSON text
///     +----------+------+------ - - -
enum EncoderCheck {
    static func check(_ bytes: [UInt8]) throws(Finding) {
        var input = Input(bytes)
        let subject = input.subject()
        let role = subject.roles[input.choice(of: subject.roles.count)]
        let packet: [UInt8]
        do throws(TranslationError) {
            packet = try subject.translator.encode(
                message: role.name, parsing: Array(input.rest), from: role.sender, states: role.context.states)
        } catch {
            return try require(!error.description.isEmpty, "an error without a text")
        }
        let text = Hexadecimal.text(of: packet)
        let line: JSONValue
        do throws(CodecError) {
            line = try subject.translator.decode(packet.span.bytes, in: role.context)
        } catch {
            throw Finding("\(role.name) is encoded to \(text), which is refused: \(error)")
        }
        let again: [UInt8]
        do throws(TranslationError) {
            again = try subject.translator.encode(
                line: line, from: role.sender, states: role.context.states)
        } catch {
            throw Finding("\(line) of \(text) is not encoded: \(error)")
        }
        try require(again == packet, "\(line) of \(text) is encoded to \(Hexadecimal.text(of: again))")
        if let disagreement = subject.codecs.disagreement(on: packet, in: role.context) {
            throw Finding("\(role.name) is encoded to \(text): \(disagreement)")
        }
    }
}
