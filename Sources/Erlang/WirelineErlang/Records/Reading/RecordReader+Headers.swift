// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension RecordReader {
    /// Writes a header as a map.
    ///
    /// - Parameter onlySettable: Whether to leave out fields that cannot be set in another packet.
    /// - Returns: The number of keys.
    func write(_ header: PacketHeader, onlySettable: Bool, to writer: inout ErlangTermWriter) -> Int {
        let plan = plan.header
        let shown = header.fields.compactMap { name, value -> (index: Int, value: PacketHeader.FieldValue)? in
            guard let index = plan.index(of: name), plan.fields[index].isSettable || !onlySettable else { return nil }
            return (index, value)
        }
        writer.writeMap(count: shown.count)
        for (index, value) in shown {
            writer.writeEncoded(plan.keys.encoded[index])
            switch value {
            case .integer(let number): write(number, plan.fields[index].form, to: &writer)
            case .text(let text): writer.writeBinary(Array(text.utf8))
            case .bytes(let bytes): writer.writeBinary(bytes)
            }
        }
        return shown.count
    }
}
