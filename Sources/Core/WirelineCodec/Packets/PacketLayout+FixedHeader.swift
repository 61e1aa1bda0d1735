// SPDX-License-Identifier: Apache-2.0

/// Header fields that have the same value in every packet of a message.
extension PacketLayout {
    /// Adds the values that a message fixes to the header of a packet to write.
    ///
    /// - Throws: ``CodecError/Reason/wrongConstant(value:expected:)`` if the header sets another value.
    package func fix(_ fixed: PacketHeader, in header: inout PacketHeader) throws(CodecError) {
        for (name, expected) in fixed.fields {
            if let value = header[value: name], let field = fields.first(where: { $0.name == name }) {
                try field.require(value, toBe: expected)
            }
            header[value: name] = expected
        }
    }

    /// Refuses a packet whose header has another value for a field that its message fixes.
    ///
    /// - Throws: ``CodecError/Reason/wrongConstant(value:expected:)`` for the first of these fields, with its number or
    ///   with the first byte of its text that differs.
    public func verify(_ fixed: PacketHeader, in packet: borrowing Packet) throws(CodecError) {
        var wrong: (name: String, value: Int128, expected: Int128)?
        try forEachField(of: packet) { (field, value, range) throws(CodecError) in
            guard wrong == nil, let expected = fixed[value: field.name] else { return }
            switch expected {
            case .integer(let number):
                if value != number { wrong = (field.name, value, number) }
            case .text(let text):
                var reader = ByteReader(packet.bytes, range: range)
                do throws(CodecError) {
                    try reader.requireHeaderText(text, field.format)
                } catch {
                    throw error.prefixed(by: field.path)
                }
            case .bytes: break
            }
        }
        let layout = layout(of: packet)
        guard let wrong, let index = layout.fields.firstIndex(where: { $0.name == wrong.name }) else { return }
        let offset = try layout.fieldRanges(of: packet)[index].lowerBound
        throw CodecError(.wrongConstant(value: wrong.value, expected: wrong.expected), offset: offset)
            .prefixed(by: layout.fields[index].path)
    }
}

extension PacketField {
    fileprivate func require(
        _ value: PacketHeader.FieldValue, toBe expected: PacketHeader.FieldValue
    ) throws(CodecError) {
        guard value != expected else { return }
        let reason: CodecError.Reason
        switch (value, expected) {
        case (.integer(let number), .integer(let expected)):
            reason =
                range.contains(number)
                ? .wrongConstant(value: number, expected: expected)
                : .outOfRange(value: number, minimum: range.lowerBound, maximum: range.upperBound)
        case (.text(let text), .text(let expected)):
            reason = format.textFault(of: value) ?? difference(of: text, from: expected)
        default: throw CodecError(.invalidHeaderField(name))
        }
        throw CodecError(reason).prefixed(by: path)
    }

    /// Returns the error with the first byte that differs.
    private func difference(of text: String, from expected: String) -> CodecError.Reason {
        let bytes = zip(format.bytes(ofText: text), format.bytes(ofText: expected)).first { $0 != $1 }
        return .wrongConstant(value: Int128(bytes?.0 ?? 0), expected: Int128(bytes?.1 ?? 0))
    }
}
