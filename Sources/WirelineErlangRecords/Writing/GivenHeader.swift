// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineErlang

/// The header fields that a map gives for a packet, as far as they are right.
///
/// What is wrong with the map is told later: the message comes first.
struct GivenHeader {
    private(set) var values = PacketHeader()
    /// A key of the map that is none, or that cannot be set.
    private var unknownKey: ErlangTerm?
    /// What is wrong with values, by the names of their fields.
    private var errors: [(field: String, error: ErlangRecordError)] = []

    /// Makes a header that sets nothing.
    init() {}

    /// Reads a map; nil if the next term is none.
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

    /// Throws what is wrong with some of the fields.
    func require(_ fields: [String]) throws(ErlangRecordError) {
        for name in fields {
            if let wrong = errors.first(where: { $0.field == name }) { throw Self.located(wrong) }
        }
    }

    /// Throws what is wrong with the map.
    func requireAll() throws(ErlangRecordError) {
        if let unknownKey { throw ErlangRecordError(.tuple("invalid_header_field", unknownKey)) }
        if let wrong = errors.first { throw Self.located(wrong) }
    }

    private static func located(_ wrong: (field: String, error: ErlangRecordError)) -> ErlangRecordError {
        wrong.error.prefixed(by: wrong.field).prefixed(by: "packet")
    }
}
