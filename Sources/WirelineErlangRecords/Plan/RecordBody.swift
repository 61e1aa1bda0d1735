// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineErlang

/// A message or a structure: the fields on the wire, and the record.
final class RecordBody: Sendable {
    let name: String
    /// The head of the record's tuple and its atom, as bytes of a term.
    let head: [UInt8]
    /// The name of the record.
    let atom: [UInt8]
    /// The number of the tuple's elements, with the atom.
    let arity: Int
    let fields: [RecordField]
    /// The prefix with the number of bytes of the fields; nil without `sized`.
    let sizePrefix: CountFormat?
    let sizePrefixOrder: ByteOrder
    /// Whether the record's last field has the bytes after the last known field.
    let keepsTrailingBytes: Bool
    /// Whether numbers of fields decide about later ones.
    let keepsNumbers: Bool
    /// All fields, if each of them is plain; otherwise none.
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
