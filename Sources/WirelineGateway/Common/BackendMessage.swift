// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineErlangGateway
import WirelineErlangRecords

/// A backend's message in a protocol with states or layers. It has been checked, and each connection makes its packet.
final class BackendMessage: UnsealedClientPacket {
    /// What the header of a packet counts, about.
    private static let headerByteCount = 16

    let packet: SharedPacket

    var byteCount: Int { packet.byteCount + Self.headerByteCount }

    /// - Throws: `CodecError` if it cannot be sent in any states.
    init(_ draft: RecordDraft, in layout: PacketLayout, limit: Int) throws(CodecError) {
        packet = try SharedPacket(UnsealedPacket(draft), in: layout, limit: limit)
    }
}

extension UnsealedPacket {
    /// Makes the packet of a record.
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
