// SPDX-License-Identifier: Apache-2.0

import Scene
import TestingSupport
import Wireline
import WirelineCodec

/// A message that counts how often it is written.
struct CountedMessage: ServerMessage {
    typealias Definition = SceneProtocol

    static let messageName = Sc_20001.messageName
    static let messageID = Sc_20001.messageID

    let message: Sc_20001
    let encodings = Seen<Void>()

    init(message: Sc_20001) { self.message = message }

    init(from reader: inout ByteReader) throws(CodecError) { message = try Sc_20001(from: &reader) }

    func payloadByteCount() throws(CodecError) -> Int { try message.payloadByteCount() }

    func writePayload(to writer: inout ByteWriter) {
        encodings.add(())
        message.writePayload(to: &writer)
    }

    static func == (left: CountedMessage, right: CountedMessage) -> Bool { left.message == right.message }
}
