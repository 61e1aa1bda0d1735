// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The valid fields of a header that a map gives.
///
/// Errors of the map are reported only after the message's own errors.
struct GivenHeader {
    private(set) var values = PacketHeader()
    /// The first key that is unknown or cannot be set.
    private var unknownKey: ErlangTerm?
    /// The errors of values, with the names of their fields.
    private var errors: [(field: String, error: ErlangRecordError)] = []

    init() {}

    /// Nil if the next term is no map.
    init?(from reader: inout ErlangTermReader, _ plan: RecordPlan) {
        guard let count = reader.readMap() else { return nil }
        for _ in 0..<count {
            let key = reader
            let index = plan.header.keys.readIndex(from: &reader)
            if let index, plan.header.fields[index].isSettable {
                read(plan.header.fields[index], from: reader, plan)
            } else {
                unknownKey = unknownKey ?? key.value
                if index == nil { reader.skip() }
            }
            reader.skip()
        }
    }

    private mutating func read(
        _ field: HeaderPlan.Field, from reader: borrowing ErlangTermReader, _ plan: RecordPlan
    ) {
        var checked = RecordWriter(plan)
        var value = copy reader
        do throws(ErlangRecordError) {
            guard !field.form.isNumber else {
                values[value: field.name] = .integer(try checked.number(field.form, field.limits, from: &value))
                return
            }
            try checked.write(field.form, field.limits, from: &value)
            value = copy reader
            guard let content = value.readBinary() else { return }
            let bytes = [UInt8](copying: content)
            let isText = if case .bytes = field.form { false } else { true }
            values[value: field.name] = isText ? .text(String(decoding: bytes, as: UTF8.self)) : .bytes(bytes)
        } catch {
            errors.append((field.name, error))
        }
    }

    /// Throws the error of one of these fields.
    func require(_ fields: [String]) throws(ErlangRecordError) {
        for name in fields {
            if let wrong = errors.first(where: { $0.field == name }) { throw Self.located(wrong) }
        }
    }

    /// Throws the first error of the map.
    func requireAll() throws(ErlangRecordError) {
        if let unknownKey { throw ErlangRecordError(.tuple("invalid_header_field", unknownKey)) }
        if let wrong = errors.first { throw Self.located(wrong) }
    }

    private static func located(_ wrong: (field: String, error: ErlangRecordError)) -> ErlangRecordError {
        wrong.error.prefixed(by: wrong.field).prefixed(by: "packet")
    }
}
