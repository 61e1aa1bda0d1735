// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the members that read, measure and write a union.
struct SwiftUnionCoding {
    let types: SwiftTypes
    let plan: UnionPlan
    let arms: [SwiftArm]

    /// The size of the tag, if all tags have the same.
    private var tagByteCount: Int? { types.plan.fixedByteCount(of: plan.tag) }
    private var isVarintSized: Bool { plan.sizePrefix?.format == .varint }
    private static let codecThrows = SwiftBody.codecThrows

    // MARK: Reading

    func writeReading(to source: inout SwiftSource) {
        if plan.tagPlaces.contains(.before) { writeReading(hasTag: true, to: &source) }
        if plan.tagPlaces == [.before, .elsewhere] { source.blank() }
        if plan.tagPlaces.contains(.elsewhere) { writeReading(hasTag: false, to: &source) }
    }

    /// - Parameter hasTag: Whether the tag precedes the value; otherwise it was read before.
    private func writeReading(hasTag: Bool, to source: inout SwiftSource) {
        let parameter = hasTag ? "" : "tag: \(types.text(plan.tag)), "
        source.open("internal init(\(parameter)from reader: inout WirelineCodec::ByteReader) \(Self.codecThrows) {")
        let number = hasTag || !isEnumeration ? "tag" : "tag.rawValue"
        var errors = SwiftErrorPlace(beforeFirst: -1)
        var cases = source.nested(by: 1)
        for (index, arm) in arms.enumerated() { readCase(arm, index, hasTag: hasTag, &errors, to: &cases) }
        if plan.defaultArm == nil {
            cases.line("default: throw WirelineCodec::CodecError(.unknownTag(Swift::Int128(\(number))), offset: start)")
        }
        if errors.setsField { source.line("var field: Swift::Int = -1") }
        if errors.setsItem { source.line("var item: Swift::Int = -1") }
        source.open("do \(Self.codecThrows) {")
        if plan.countsDepth { source.line("try reader.enterStructure()") }
        if plan.defaultArm == nil || hasTag && types.plan.isClosed(plan.tag) {
            source.line("let start = reader.offset")
        }
        if hasTag { source.line("let tag = try \(types.item(rawTag).text)") }
        if let prefix = plan.sizePrefix {
            let arguments = prefix.swiftArguments + types.forms(prefix.format)
            source.line("let body = try reader.enterSizedBody(byteCount: reader.readCount(\(arguments)))")
        }
        source.line("switch \(number) {")
        source.append(cases)
        source.line("}")
        if plan.sizePrefix != nil { source.line("reader.leaveSizedBody(body)") }
        if plan.countsDepth { source.line("reader.leaveStructure()") }
        source.close()
        writeCatch(errors, to: &source)
        source.close("}")
    }

    private var isEnumeration: Bool { if case .enumeration = plan.tag { true } else { false } }

    /// The tag as a plain number.
    private var rawTag: TypeDescription {
        guard let number = types.plan.number(plan.tag) else { return plan.tag }
        return .integer(number.format, number.byteOrder)
    }

    private func readCase(
        _ arm: SwiftArm, _ index: Int, hasTag: Bool, _ errors: inout SwiftErrorPlace, to source: inout SwiftSource
    ) {
        source.open(arm.plan.tag.map { "case \($0):" } ?? "default:")
        guard let field = arm.field else {
            source.line("self = .\(arm.quoted)")
            return source.close()
        }
        let isClosed = hasTag && arm.plan.tag == nil && types.plan.isClosed(plan.tag)
        if isClosed {
            source.line("let kept: \(types.text(plan.tag)) = try WirelineCodec::FieldCheck.known(tag, at: start)")
        }
        source.line("let value: \(field.valueType)")
        errors.move(to: index)
        var reading = SwiftReading(types, in: source.nested(by: 0), errors: errors)
        reading.read(arm.plan.body, arm.fields)
        errors = reading.errors
        source.append(reading.source)
        if arm.plan.tag == nil {
            let tag = isClosed ? "kept" : hasTag && isEnumeration ? ".init(rawValue: tag)" : "tag"
            source.line("self = .\(arm.quoted)(tag: \(tag), bytes: value)")
        } else {
            source.line("self = .\(arm.quoted)(value)")
        }
        source.close()
    }

    private func writeCatch(_ errors: SwiftErrorPlace, to source: inout SwiftSource) {
        source.open("} catch {")
        let item = errors.setsItem ? ", item: item" : ""
        let field = errors.setsField ? "field" : "-1"
        source.line("try error.throwLocated(in: \"\", fields: \(armTable), at: \(field)\(item))")
        source.close("}")
    }

    /// The arms for errors: their names, and the bytes that an error at the end of a number or a count skips.
    private var armTable: String {
        let items = plan.arms.map { arm in
            "\(arm.name) \(arm.field.map { types.plan.leadingByteCount(of: $0.description) } ?? 0)"
        }
        return SwiftText.literal(items.joined(separator: " "))
    }

    // MARK: Sizing

    func writeSizing(to source: inout SwiftSource) {
        if isVarintSized {
            writeBodySizing("bodyByteCount", to: &source)
            source.blank()
        } else {
            writeBodySizing("payloadByteCount", to: &source)
            return
        }
        let argument = plan.countsDepth ? "depth: depth" : ""
        source.block("internal func payloadByteCount(\(parameter)) \(Self.codecThrows) -> Swift::Int") { source in
            if plan.countsDepth { writeDepthCheck(to: &source) }
            source.line("let byteCount = try self.bodyByteCount(\(argument))")
            finishSize("byteCount", to: &source)
        }
    }

    private var parameter: String { plan.countsDepth ? "depth: Swift::Int" : "" }

    private func writeDepthCheck(to source: inout SwiftSource) {
        source.line(
            "try WirelineCodec::FieldCheck.depth(depth, limit: \(types.description.options.maximumDepth))")
    }

    /// Writes a function that checks the value and counts its bytes, with those of tag and prefix if they are fixed.
    private func writeBodySizing(_ function: String, to source: inout SwiftSource) {
        var (errors, cases, adds) = (SwiftErrorPlace(beforeFirst: -1), source.nested(by: 2), false)
        for (index, arm) in arms.enumerated() { measureCase(arm, index, &errors, &adds, to: &cases) }
        source.open("internal func \(function)(\(parameter)) \(Self.codecThrows) -> Swift::Int {")
        if plan.countsDepth, !isVarintSized { writeDepthCheck(to: &source) }
        if adds { source.line("var byteCount: Swift::Int = 0") }
        if errors.setsField { source.line("var field: Swift::Int = -1") }
        if errors.setsItem { source.line("var item: Swift::Int = -1") }
        if errors.canFail { source.open("do \(Self.codecThrows) {") }
        if adds || errors.canFail {
            source.line("switch self {")
            source.append(errors.canFail ? cases : cases.indented(by: -1))
            source.line("}")
        }
        if errors.canFail {
            source.close()
            writeCatch(errors, to: &source)
        }
        let total = adds ? "byteCount" : "0"
        if isVarintSized { source.line("return \(total)") } else { finishSize(total, to: &source) }
        source.close("}")
    }

    /// Writes the check of a sized value, and returns the bytes of the whole union.
    private func finishSize(_ total: String, to source: inout SwiftSource) {
        var sum = total
        if let prefix = plan.sizePrefix {
            source.line("try WirelineCodec::FieldCheck.count(\(total), limit: \(SwiftText.limit(prefix)))")
        }
        let fixed = (tagByteCount ?? 0) + (plan.sizePrefix?.format.fixedByteCount ?? 0)
        if fixed > 0 { sum += " + \(fixed)" }
        if tagByteCount == nil { sum += " + self.tag.varintByteCount" }
        if isVarintSized { sum += " + Swift::UInt64(\(total)).varintByteCount" }
        source.line("return \(sum)")
    }

    private func measureCase(
        _ arm: SwiftArm, _ index: Int, _ errors: inout SwiftErrorPlace, _ adds: inout Bool,
        to source: inout SwiftSource
    ) {
        errors.move(to: index)
        var statements = source.nested(by: 1)
        if arm.plan.tag == nil { checkKeptTag(index, &errors, to: &statements) }
        let depth = plan.countsDepth ? "depth + 1" : "1"
        var sizing = SwiftSizing(types, depth: depth, in: source.nested(by: 1), errors: errors)
        sizing.measure(arm.plan.body, arm.fields)
        errors = sizing.errors
        // The size of a structure can be independent of its value.
        let usesValue = sizing.source.contains(identifier: "value")
        statements.append(sizing.source)
        if sizing.constant > 0 { statements.line("byteCount += \(sizing.constant)") }
        adds = adds || sizing.adds || sizing.constant > 0
        let value = usesValue ? "let value" : "_"
        let pattern = arm.plan.tag == nil ? "(let tag, \(value))" : usesValue ? "(let value)" : ""
        if statements.text.isEmpty { return source.line("case .\(arm.quoted): break") }
        source.line("case .\(arm.quoted)\(pattern):")
        source.append(statements)
    }

    /// Refuses a kept value that has the tag of an arm, or a tag outside its type.
    private func checkKeptTag(_ index: Int, _ errors: inout SwiftErrorPlace, to source: inout SwiftSource) {
        let tag = isEnumeration ? "tag.rawValue" : "tag"
        if let range = types.checkedRange(plan.tag, nil) {
            errors.enter(0, in: &source)
            source.line("try WirelineCodec::FieldCheck.range(\(tag), \(range.lowerBound), \(range.upperBound))")
        }
        let known = plan.taggedArms.compactMap(\.tag).map { "\($0)" }
        guard !known.isEmpty else { return source.line("_ = tag") }
        errors.enter(0, in: &source)
        source.line("switch \(tag) {")
        source.line("case \(known.joined(separator: ", ")):")
        source.line("    throw WirelineCodec::CodecError(.knownTag(Swift::Int128(\(tag))))")
        source.line("default: break")
        source.line("}")
    }

    // MARK: Writing

    func writeWriting(to source: inout SwiftSource) {
        if plan.tagPlaces.contains(.before) {
            source.block("internal func writePayload(to writer: inout WirelineCodec::ByteWriter)") { source in
                var writing = SwiftWriting(types, in: source.nested(by: 0))
                writing.write(plan.tag, "self.tag")
                source.append(writing.source)
                if plan.tagPlaces.contains(.elsewhere) {
                    source.line("self.writeValue(to: &writer)")
                } else {
                    writeValue(to: &source)
                }
            }
        }
        guard plan.tagPlaces.contains(.elsewhere) else { return }
        if plan.tagPlaces.contains(.before) { source.blank() }
        source.block("internal func writeValue(to writer: inout WirelineCodec::ByteWriter)") { writeValue(to: &$0) }
    }

    /// Writes statements for everything after the tag.
    private func writeValue(to source: inout SwiftSource) {
        if let prefix = plan.sizePrefix { writePrefix(prefix, to: &source) }
        if arms.contains(where: { $0.field != nil }) {
            source.line("switch self {")
            for arm in arms { writeCase(arm, to: &source) }
            source.line("}")
        }
        guard let prefix = plan.sizePrefix, let width = prefix.format.fixedByteCount else { return }
        source.line("writer.patchCount(writer.offset - start - \(width), at: start, \(prefix.swiftArguments))")
    }

    private func writePrefix(_ prefix: PlannedCount, to source: inout SwiftSource) {
        guard isVarintSized else {
            source.line("let start = writer.offset")
            return source.line("writer.writeCount(0, \(prefix.swiftArguments))")
        }
        // Sizes that cannot be counted have been refused before anything is written.
        let argument = plan.countsDepth ? "depth: 0" : ""
        source.line("let byteCount = (try? self.bodyByteCount(\(argument))) ?? 0")
        source.line("writer.writeCount(byteCount, \(prefix.swiftArguments))")
    }

    private func writeCase(_ arm: SwiftArm, to source: inout SwiftSource) {
        guard arm.field != nil else { return source.line("case .\(arm.quoted): break") }
        source.line("case .\(arm.quoted)(\(arm.plan.tag == nil ? "_, let value" : "let value")):")
        var writing = SwiftWriting(types, in: source.nested(by: 1))
        writing.write(arm.plan.body, arm.fields)
        source.append(writing.source)
    }
}
