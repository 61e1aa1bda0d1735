// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// A message or a structure: its fields on the wire, and its record.
final class RecordBody: Sendable {
    let name: String
    /// The head of the record's tuple and its atom, as bytes of a term.
    let head: [UInt8]
    /// The record's name.
    let atom: [UInt8]
    /// The elements of the tuple, the atom included.
    let arity: Int
    let fields: [RecordField]
    /// The length prefix of the fields; nil without `sized`.
    let sizePrefix: CountFormat?
    let sizePrefixOrder: ByteOrder
    /// Whether the record ends with the bytes after the last known field.
    let keepsTrailingBytes: Bool
    /// Whether fields depend on numbers of earlier fields.
    let keepsNumbers: Bool
    /// All fields if all are plain; otherwise none.
    let plainFields: [PlainField]

    init(
        name: String, record: String, _ fields: [RecordField], sizePrefix: CountFormat? = nil,
        _ sizePrefixOrder: ByteOrder = .bigEndian, keepsTrailingBytes: Bool
    ) {
        self.name = name
        self.fields = fields
        self.sizePrefix = sizePrefix
        self.sizePrefixOrder = sizePrefixOrder
        self.keepsTrailingBytes = keepsTrailingBytes
        atom = Array(record.utf8)
        arity = 1 + fields.count(where: \.hasValue) + (keepsTrailingBytes ? 1 : 0)
        keepsNumbers = fields.contains(where: \.keepsNumber)
        let plain = fields.compactMap(PlainField.init)
        plainFields = plain.count == fields.count ? plain : []
        var writer = ErlangTermWriter()
        writer.writeTuple(count: arity)
        writer.writeAtom(record)
        head = writer.bytes
    }
}
