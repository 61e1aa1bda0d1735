// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import TestingSupport
import WirelineCodec
import WirelineSchema

/// Generated code reads and writes a packet as the schema-driven codec does, or refuses it with the same error.
///
/// The protocol's byte, then a packet: see ``Input/packet(of:)``.
enum DecoderCheck {
    static func check(_ bytes: [UInt8]) throws(Finding) {
        var input = Input(bytes)
        let subject = input.subject()
        guard let packet = input.packet(of: subject) else { return }
        if let disagreement = disagreement(on: packet.bytes, in: packet.context, of: subject) {
            throw Finding("\(subject.folder.name) \(Hexadecimal.text(of: packet.bytes)): \(disagreement)")
        }
    }

    /// A packet that may be no message is opened before it is read.
    private static func disagreement(
        on bytes: [UInt8], in context: PacketContext, of subject: Subject
    ) -> String? {
        guard subject.translator.hasContent else { return subject.codecs.disagreement(on: bytes, in: context) }
        let codec = LayeredCodec(subject.codecs.generated, subject.translator)
        do throws(CodecError) {
            return codec.disagreement(on: try codec.open(bytes, in: context), from: context.sender)
        } catch {
            return nil
        }
    }
}
