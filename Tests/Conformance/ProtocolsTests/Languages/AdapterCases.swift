// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import TestingSupport
import WirelineCodec
import WirelineSchema

/// What adapters are asked about a protocol without layers, and what is right by Swift's codec.
struct AdapterCases {
    /// The number of random messages for each protocol.
    static let messageCount = Depth.rounds(15)
    /// The number of vectors, and of random messages, whose variants are asked. Each one has a hundred variants.
    private static let variedCount = Depth.rounds(2)

    let translator: PacketTranslator
    /// The vectors' folder; nil for a protocol without vectors.
    let folder: ProtocolFolder?

    // MARK: Cases of a protocol

    /// All exact vectors, and random messages, some with numbers that must be rounded: their packets and their values, or
    /// why they cannot be written.
    func values() throws -> [AdapterCase] {
        var lines = RandomLines(translator.description, using: AdapterSamples.random)
        var cases: [AdapterCase] = []
        for vector in folder?.vectors(.exact) ?? [] {
            cases += try self.cases(of: vector.bytes(), in: vector.context())
        }
        var rounded: Set<String> = []
        for _ in 0..<Self.messageCount {
            let (context, line) = lines.nextInContext()
            cases += try self.cases(of: line, in: context)
            guard let message = message(of: line) else { continue }
            for field in message.fields where field.isFloat(in: line) {
                guard rounded.insert("\(message.name).\(field.name)").inserted else { continue }
                for number in Self.roundedNumbers {
                    cases += try self.cases(of: line.with(number, in: field), in: context)
                }
            }
        }
        return cases
    }

    /// Numbers that programs read in different ways, in one field of each type and in the ID of an unknown message. And packets
    /// whose ID has all bits, or only the first one.
    func numbers() throws -> [AdapterCase] {
        var lines = RandomLines(translator.description, using: AdapterSamples.random)
        var cases: [AdapterCase] = []
        var asked: Set<String> = []
        for _ in 0..<Self.messageCount {
            let (context, line) = lines.nextInContext()
            for field in message(of: line)?.fields ?? [] {
                guard let type = translator.description.numberType(of: field, in: line) else { continue }
                guard asked.insert(type).inserted else { continue }
                cases += try Self.unusualNumbers.flatMap { try self.cases(of: line.with($0, in: field), in: context) }
            }
        }
        let context = PacketContext(from: .client)
        let greatest = translator.description.layout.layout(in: context).maximumMessageID
        for id in [greatest, greatest / 2 + 1] {
            let line: JSONValue = ["message": .null, "id": .exactInteger(Int128(id)), "payload": ""]
            let bytes = try? translator.encode(line: line, from: context.sender, states: context.states)
            if let bytes { cases += self.cases(of: bytes, in: context, line: line) }
        }
        for number in Self.unusualNumbers {
            let line: JSONValue = ["message": .null, "id": number, "payload": ""]
            cases += try self.cases(of: line, in: context, at: "id")
        }
        return cases
    }

    /// Truncated, changed and invalid packets, and bytes that are none: the verdicts on them.
    func variants() throws -> [AdapterCase] {
        var random = AdapterSamples.random
        var lines = RandomLines(translator.description, using: random)
        let vectors = try Vector.Kind.allCases.flatMap { folder?.vectors($0) ?? [] }.map {
            (try $0.context(), try $0.bytes())
        }
        var packets = Array(vectors.shuffled(using: &random).prefix(Self.variedCount))
        let count = packets.count + Self.variedCount
        for _ in 0..<1_000 where packets.count < count {
            let (context, line) = lines.nextInContext()
            let bytes = try? translator.encode(line: line, from: context.sender, states: context.states)
            if let bytes { packets.append((context, bytes)) }
        }
        let noise = (0..<10).map { _ in
            (
                PacketContext(from: Sender.allCases.randomElement(using: &random)!),
                random.bytes(Int.random(in: 0...40, using: &random))
            )
        }
        return noise.map { verdict(on: $1, in: $0) }
            + packets.flatMap { context, bytes in
                translator.variants(of: bytes, in: context, using: &random).map { verdict(on: $0, in: context) }
            }
    }

    // MARK: Single cases

    /// Numbers in the middle between two of a format and just above, and numbers that are just too large for one.
    private static let roundedNumbers = [
        "1.00048828125", "1.0004882812500002", "1.000000059604644775390625", "1.0000000596046448", "16777217",
        "65519.99", "65520", "3.4028235677973362e+38", "3.4028235677973366e+38", "-1e400", "1e-400",
    ].compactMap { try? JSONValue(parsing: $0) }

    /// Integers at the ends of 64 and 128 bits and of floats, long ones, those with a fraction or an exponent, and strings.
    private static let unusualNumbers: [JSONValue] = {
        let long = String(repeating: "7", count: 5_000)
        let leastInfinite = """
            179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692\
            887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842\
            914819860834936475292719074168444365510704342711559699508093042880\
            177904174497792
            """
        let greatest = String(leastInfinite.dropLast()) + "1"
        let numbers =
            [
                "-1", "256", "4294967295", "-0", "-0.0", "1.0", "-1.5", "1e0", "1E+2", "100e-2", "0e99999999999",
                "1e400", "-1e99999999999", "1e-99999999999", "\(long).5", "\(long)e-4999", "9007199254740993",
                "18446744073709551615", "18446744073709551616", "-9223372036854775809",
                "100000000000000000000000000000000000000",
                "170141183460469231731687303715884105728", "-170141183460469231731687303715884105728",
                "-170141183460469231731687303715884105729", long, "-\(long)", leastInfinite,
                greatest,
            ].compactMap { try? JSONValue(parsing: $0) }
        let texts = ["-0", "7", "007", "+7", " 7", "7\n", "7.0", "7e0", "-", "", "seven", "٧", long]
        return numbers + texts.map { .string($0) } + [.null, true, [], [:]]
    }()

    /// A message's packet and its value, or why the message cannot be written.
    ///
    /// - Parameter place: The path of the only errors that are asked for, and no packet (default: any, and the packet).
    private func cases(
        of line: JSONValue, in context: PacketContext, at place: String? = nil
    ) throws -> [AdapterCase] {
        do throws(TranslationError) {
            let bytes = try translator.encode(line: line, from: context.sender, states: context.states)
            return place == nil ? cases(of: bytes, in: context, line: line) : []
        } catch {
            // With a second fault in the header, languages may differ in which of the two they name.
            let (kind, path) = (error.reason.kind, error.path)
            if kind != "wrong_constant", setsFixedHeader(line) || place.map({ $0 != path }) == true { return [] }
            return [
                AdapterCase(encoding: line, in: context) { answer in
                    let isSame = answer["error"] == .string(kind) && (path.isEmpty || answer["field"] == .string(path))
                    return isSame ? nil : "not the error \(kind) at \(path)"
                }
            ]
        }
    }

    /// Whether a line sets a field of the header that its message fixes.
    private func setsFixedHeader(_ line: JSONValue) -> Bool {
        let fields = translator.description.layout.fields
        return message(of: line)?.headerValues.contains { line["header"]?[fields[$0.field].name] != nil } ?? false
    }

    private func message(of line: JSONValue) -> MessageDescription? {
        translator.description.messages.first { line["message"] == .string($0.name) }
    }

    /// A packet and its value.
    private func cases(of bytes: [UInt8], in context: PacketContext) throws -> [AdapterCase] {
        try cases(of: bytes, in: context, line: translator.decode(bytes.rawSpan, in: context))
    }

    private func cases(of bytes: [UInt8], in context: PacketContext, line: JSONValue) -> [AdapterCase] {
        let hex = Hexadecimal.text(of: bytes)
        return [
            AdapterCase(encoding: line, in: context) { $0["hex"] == .string(hex) ? nil : "not the bytes \(hex)" },
            verdict(on: bytes, in: context),
        ]
    }

    private func verdict(on bytes: [UInt8], in context: PacketContext) -> AdapterCase {
        AdapterCase(verdictOn: bytes, in: context, by: translator)
    }
}

extension AdapterCase {
    /// Asks what some bytes mean, and compares the answer with Swift's verdict on them.
    ///
    /// - Parameter missing: The kinds of layers that the adapter says it does not have: `brotli`.
    init(
        verdictOn bytes: [UInt8], in context: PacketContext, keys: [String: String]? = nil, missing: Set<String> = [],
        by translator: PacketTranslator
    ) {
        let verdict = translator.verdict(on: bytes[...], in: context)
        self.init(decoding: bytes, in: context, keys: keys) { answer in
            switch verdict {
            case .more: return answer["reply"] == "more" ? nil : "it does not wait"
            case .packet(let byteCount, let line):
                guard answer["reply"] == "ok", answer["count"] == .exactInteger(Int128(byteCount)),
                    let found = answer["line"]
                else { return "not a packet of \(byteCount) bytes" }
                return LineComparison(translator).difference(line, found).map {
                    "another value at \($0.path)"
                }
            case .refused(let error):
                if missing.contains(where: { error.path.hasSuffix("packet.\($0)") }) {
                    return answer["reply"] == "skip" ? nil : "it is not skipped"
                }
                let field: JSONValue? = error.path.isEmpty ? nil : .string(error.path)
                let offset: JSONValue? = error.offset.map { .exactInteger(Int128($0)) }
                let isSame =
                    answer["error"] == .string(error.reason.kind) && answer["field"] == field
                    && answer["offset"] == offset
                return isSame ? nil : "not the error \(error.reason.kind), \(error)"
            }
        }
    }
}

extension FieldDescription {
    /// Whether a line has a number for this field of its message, and the field is a float.
    fileprivate func isFloat(in line: JSONValue) -> Bool {
        if case .float = type, case .number? = line["fields"]?[name] { true } else { false }
    }
}

extension ProtocolDescription {
    /// The kind and the range of a field's numbers; nil for another type, and if a line does not have the field.
    fileprivate func numberType(of field: FieldDescription, in line: JSONValue) -> String? {
        guard let value = line["fields"]?[field.name], value != .null else { return nil }
        return switch field.type {
        case .integer(let format, _): "integer \(format.range)"
        case .varint(let format): "varint \(format.range)"
        case .float(let format, _): "float \(format)"
        case .enumeration(let index, _):
            "\(enumerations[index].isClosed ? "closed " : "")enum \(enumerations[index].format.range)"
        default: nil
        }
    }
}

extension JSONValue {
    /// The line of a message with another value of one field.
    fileprivate func with(_ value: JSONValue, in field: FieldDescription) -> JSONValue {
        guard let fields = self["fields"] else { return self }
        return replacing("fields", by: fields.replacing(field.name, by: value))
    }

    private func replacing(_ name: String, by value: JSONValue) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members.map { $0.name == name ? Member(name, value) : $0 })
    }
}
