// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineErlang

/// A checked message of a backend, in a protocol with states or layers. Each connection makes its own packet.
final class BackendMessage: UnsealedClientPacket {
    /// An estimate for a packet's header.
    private static let headerByteCount = 16

    let packet: SharedPacket

    var byteCount: Int { packet.byteCount + Self.headerByteCount }

    /// - Throws: `CodecError` if the message cannot be sent in any states.
    init(_ draft: RecordDraft, in layout: PacketLayout, limit: Int) throws(CodecError) {
        packet = try SharedPacket(UnsealedPacket(draft), in: layout, limit: limit)
    }
}

extension UnsealedPacket {
    fileprivate init(_ draft: RecordDraft) {
        switch draft.content {
        case .packets(let drafts):
            self.init(id: draft.id, header: draft.header, packets: drafts.map(UnsealedPacket.init))
        case .bytes(let payload) where draft.isMessage:
            self.init(id: draft.id, header: draft.header, payload: payload, named: "")
        case .bytes(let payload): self.init(id: draft.id, header: draft.header, payload: payload)
        }
    }
}
