// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import TestingSupport
import WirelineCodec

/// Generated code reads and writes a packet as the schema-driven codec does, or refuses it with the same error.
///
/// The protocol's byte, then a packet: see ``Input/packet(of:)``.
enum DecoderCheck {
    static func check(_ bytes: [UInt8]) throws(Finding) {
        var input = Input(bytes)
        let subject = input.subject()
        guard let packet = input.packet(of: subject) else { return }
        if let disagreement = subject.codecs.disagreement(on: packet.bytes, in: packet.context) {
            throw Finding("\(subject.folder.name) \(Hexadecimal.text(of: packet.bytes)): \(disagreement)")
        }
    }
}
