// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineSchema

/// Shows a generated value as the JSON that the schema-driven codec makes of its bytes, so that the two can be
/// compared.
///
/// Reflection finds the values, in the order of the wire; the description names them.
public struct GeneratedJSON {
    let description: ProtocolDescription

    public init(description: ProtocolDescription) { self.description = description }

    /// The line's `fields`.
    public func fields(of message: any PacketMessage) -> JSONValue {
        let description = description.messages.first { $0.name == type(of: message).messageName }
        return object(message, description?.fields ?? [])
    }

    /// The line's `trailing`.
    public func trailing(of message: any PacketMessage) -> JSONValue? {
        let kept = Mirror(reflecting: message).children.first { $0.label == "trailingBytes" }?.value as? [UInt8] ?? []
        return kept.isEmpty ? nil : .string(Hexadecimal.text(of: kept))
    }

    private func object(_ value: Any, _ fields: [FieldDescription]) -> JSONValue {
        let members = zip(fields.filter(\.hasValue), Mirror(reflecting: value).children).compactMap { field, child in
            let value: Any = (child.value as? HiddenValue)?.value ?? child.value
            return present(value, field).map { JSONValue.Member(field.name, json($0, field.type)) }
        }
        return .object(members)
    }

    /// The value of a field; nil for one that is not set.
    private func present(_ value: Any, _ field: FieldDescription) -> Any? {
        switch field.presence {
        case .optional, .when, .nullable: break
        case .required, .since: return value
        }
        return Mirror(reflecting: value).children.first?.value
    }

    private func json(_ value: Any, _ type: TypeDescription) -> JSONValue {
        switch type {
        case .integer, .varint: integer(value)
        case .float(.binary16, _): half(value as? Float)
        case .float(.binary32, _): float(value as? Float)
        case .float: float(value as? Double)
        case .boolean, .bit: .boolean(value as? Bool ?? false)
        case .string, .utf16, .digits: .string(value as? String ?? "")
        case .bytes: .string(Base64.encode(value as? [UInt8] ?? []))
        case .properties:
            .object((value as? Properties ?? [:]).entries.map { JSONValue.Member($0.key, .string($0.value)) })
        case .enumeration(let index, _): enumeration(rawValue(value), description.enumerations[index])
        case .flags(let index, _): flags(rawValue(value), description.flagSets[index])
        case .structure(let index): object(value, description.structures[index].fields)
        case .sized(let content, _): json(value, content)
        case .union(let index): union(value, description.unions[index])
        case .fixedList(let element, _), .list(let element, _):
            .array(Mirror(reflecting: value).children.map { json($0.value, element) })
        }
    }

    /// The arm of a union, which is found by its name in Swift.
    private func union(_ value: Any, _ union: UnionDescription) -> JSONValue {
        func letters(_ name: String) -> String { name.lowercased().filter { $0 != "_" } }
        let name = letters((value as? any ArmwiseDescription)?.armName ?? "")
        guard let arm = union.arms.first(where: { letters($0.alias ?? $0.name) == name }) else { return .null }
        let child = Mirror(reflecting: value).children.first?.value
        guard let field = arm.field, let content = (child as? HiddenValue)?.value ?? child else {
            return .object([JSONValue.Member(arm.name, .null)])
        }
        guard arm.tag == nil else { return .object([JSONValue.Member(arm.name, json(content, field.type))]) }
        let parts = Mirror(reflecting: content).children.map(\.value)
        guard parts.count == 2 else { return .null }
        let kept: JSONValue = ["tag": json(parts[0], union.tag), "bytes": json(parts[1], field.type)]
        return .object([JSONValue.Member(arm.name, kept)])
    }

    private func integer(_ value: Any) -> JSONValue {
        .exact((value as? any BinaryInteger).map { Int128($0) } ?? 0)
    }

    private func float<Value: BinaryFloatingPoint & CustomStringConvertible>(_ value: Value?) -> JSONValue {
        guard let value, value.isFinite else {
            return value?.isNaN ?? true ? "NaN" : value == .infinity ? "Infinity" : "-Infinity"
        }
        return (try? JSONValue(parsing: value.description)) ?? .null
    }

    /// A float of 16 bits has fewer digits than the `Float` that holds it.
    private func half(_ value: Float?) -> JSONValue {
        guard let value, FloatFormat.binary16.nearest(to: Double(value)).isFinite else { return float(value) }
        return (try? JSONValue(parsing: FloatFormat.binary16.digits(of: Double(value)))) ?? .null
    }

    private func rawValue(_ value: Any) -> Int128 {
        func read(_ value: some RawRepresentable) -> Int128 {
            (value.rawValue as? any BinaryInteger).map { Int128($0) } ?? 0
        }
        return (value as? any RawRepresentable).map { read($0) } ?? 0
    }

    private func enumeration(_ value: Int128, _ enumeration: EnumerationDescription) -> JSONValue {
        enumeration.cases.first { $0.value == value }.map { .string($0.name) } ?? .exact(value)
    }

    private func flags(_ value: Int128, _ flags: FlagsDescription) -> JSONValue {
        var items: [JSONValue] = []
        var shown: Int128 = 0
        for flag in flags.cases where value & flag.value == flag.value && flag.value & ~shown != 0 {
            items.append(.string(flag.name))
            shown |= flag.value
        }
        return .array(value == shown ? items : items + [.exact(value & ~shown)])
    }
}

extension JSONValue {
    /// An integer as the translator shows it: a string if JSON's readers would round it.
    public static func exact(_ value: Int128) -> JSONValue {
        value.magnitude < 1 << 53 ? .integer(value) : .string(String(value))
    }
}
