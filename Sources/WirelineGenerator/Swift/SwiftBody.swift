// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

/// Makes the members that messages and structures have in common.
struct SwiftBody {
    let types: SwiftTypes
    let fields: [SwiftField]
    /// What errors say in front of the field: a message's name, nothing for a structure.
    let name: String
    /// Whether a property holds what stands behind the last known field.
    let keepsTrailingBytes: Bool
    /// Whether nothing may stand there.
    var requiresEnd = false
    /// What counts a structure's bytes in front of it.
    var sizePrefix: (format: CountFormat, order: ByteOrder)?
    /// Whether entering the structure counts as a step down.
    var countsDepth = false
    /// Who may call what reads and writes.
    var access = "public"

    static let codecThrows = "throws(WirelineCodec::CodecError)"
    private var prefix: String { access == "public" ? "public " : "" }

    // MARK: Properties

    func writeProperties(to source: inout SwiftSource) {
        for field in fields {
            let name = SwiftIdentifier.quoted(field.name)
            source.documentation(field.description.documentation)
            if let reason = field.description.deprecation {
                let storage = SwiftIdentifier.quoted(field.storage)
                source.deprecation(reason)
                source.block("public var \(name): \(field.propertyType)") { source in
                    source.line("get { \(field.access) }")
                    source.line("set { \(field.access) = newValue }")
                }
                source.line("private var \(storage): \(field.propertyType)")
            } else {
                source.line("public var \(name): \(field.propertyType)")
            }
        }
        if keepsTrailingBytes {
            source.documentation("Bytes behind the last field that this schema knows, from a peer with a newer one.")
            source.line("public var trailingBytes: [Swift::UInt8]")
        }
        if !fields.isEmpty || keepsTrailingBytes { source.blank() }
    }

    func writeInitializer(to source: inout SwiftSource) {
        var parameters = fields.map { field in
            let value = field.defaultValue.map { " = " + $0 } ?? ""
            return "\(SwiftIdentifier.quoted(field.name)): \(field.propertyType)\(value)"
        }
        if keepsTrailingBytes { parameters.append("trailingBytes: [Swift::UInt8] = []") }
        source.documentation("Makes \(name.isEmpty ? "a value" : "a message") of its fields.")
        let list = parameters.joined(separator: ", ")
        if parameters.isEmpty {
            source.line("public init() {}")
        } else {
            source.block("public init(\(list))") { source in
                for field in fields { source.line("\(field.access) = \(SwiftIdentifier.quoted(field.name))") }
                if keepsTrailingBytes { source.line("self.trailingBytes = trailingBytes") }
            }
        }
        source.blank()
    }

    // MARK: Reading

    func writeReading(to source: inout SwiftSource) {
        source.open("\(prefix)init(from reader: inout WirelineCodec::ByteReader) \(Self.codecThrows) {")
        if countsDepth { source.line("try reader.enterStructure()") }
        if let (format, order) = sizePrefix {
            source.line(
                "let body = try reader.enterSizedBody(byteCount: reader.readCount(.\(format.name), \(order.swiftCase)))"
            )
        }
        var reading = SwiftReading(types, in: source.nested(by: 1))
        reading.read(fields)
        if keepsTrailingBytes {
            reading.append(canFail: false, "self.trailingBytes = reader.readTrailingBytes()")
        }
        if requiresEnd { reading.append(canFail: true, at: fields.count, "try reader.requireEnd()") }
        finish(
            reading.source, canFail: reading.canFail, first: reading.firstField ?? 0, setsField: reading.setsField,
            setsItem: reading.setsItem, to: &source)
        if sizePrefix != nil { source.line("reader.leaveSizedBody(body)") }
        if countsDepth { source.line("reader.leaveStructure()") }
        source.close("}")
    }

    /// Puts statements where their errors are caught and told where they belong.
    private func finish(
        _ statements: SwiftSource, canFail: Bool, first: Int, setsField: Bool, setsItem: Bool,
        to source: inout SwiftSource
    ) {
        guard canFail else { return source.append(statements.indented(by: -1)) }
        if setsField { source.line("var field: Swift::Int = \(first)") }
        if setsItem { source.line("var item: Swift::Int = -1") }
        source.open("do \(Self.codecThrows) {")
        source.append(statements)
        source.close()
        source.open("} catch {")
        let table = SwiftText.literal(types.fieldTable(fields))
        let item = setsItem ? ", item: item" : ""
        source.line(
            "throw error.located(in: \(SwiftText.literal(name)), fields: \(table), at: \(setsField ? "field" : "\(first)")\(item))"
        )
        source.close("}")
    }

    // MARK: Sizing

    func writeSizing(_ function: String, to source: inout SwiftSource) {
        var sizing = SwiftSizing(types, depth: countsDepth ? "depth + 1" : "1", in: source.nested(by: 2))
        sizing.measure(fields, keepsTrailingBytes: keepsTrailingBytes)
        let parameter = countsDepth ? "depth: Swift::Int" : ""
        let isVarint = sizePrefix?.format == .varint
        source.open(
            "\(prefix)func \(isVarint ? "bodyByteCount" : function)(\(parameter)) \(Self.codecThrows) -> Swift::Int {")
        if countsDepth, !isVarint { writeDepthCheck(to: &source) }
        if sizing.adds { source.line("var byteCount: Swift::Int = \(sizing.constant)") }
        finish(
            sizing.source, canFail: sizing.canFail, first: sizing.firstField ?? 0, setsField: sizing.setsField,
            setsItem: sizing.setsItem, to: &source)
        let total = sizing.adds ? "byteCount" : "\(sizing.constant)"
        if let (format, _) = sizePrefix, let width = format.fixedByteCount {
            source.line("try WirelineCodec::FieldCheck.count(\(total), limit: \(format.maximum))")
            source.line("return \(total) + \(width)")
        } else {
            source.line("return \(total)")
        }
        source.close("}")
        guard isVarint else { return }
        source.blank()
        source.block("\(prefix)func \(function)(\(parameter)) \(Self.codecThrows) -> Swift::Int") { source in
            if countsDepth { writeDepthCheck(to: &source) }
            source.line("let byteCount = try self.bodyByteCount(\(countsDepth ? "depth: depth" : ""))")
            source.line("try WirelineCodec::FieldCheck.count(byteCount, limit: \(CountFormat.varint.maximum))")
            source.line("return byteCount + Swift::UInt64(byteCount).varintByteCount")
        }
    }

    private func writeDepthCheck(to source: inout SwiftSource) {
        source.line(
            "try WirelineCodec::FieldCheck.depth(depth, limit: \(types.description.options.maximumDepth))")
    }

    // MARK: Writing

    func writeWriting(to source: inout SwiftSource) {
        source.block("\(prefix)func writePayload(to writer: inout WirelineCodec::ByteWriter)") { source in
            if let (format, order) = sizePrefix {
                if format == .varint {
                    // What cannot be counted has been refused before anything is written.
                    let depth = countsDepth ? "depth: 0" : ""
                    source.line("let byteCount = (try? self.bodyByteCount(\(depth))) ?? 0")
                    source.line("writer.writeCount(byteCount, .varint, \(order.swiftCase))")
                } else {
                    source.line("let start = writer.offset")
                    source.line("writer.writeCount(0, .\(format.name), \(order.swiftCase))")
                }
            }
            // Apart, because a copy of all the source so far for each type takes quadratic time.
            var writing = SwiftWriting(types, in: source.nested(by: 0))
            writing.write(fields)
            source.append(writing.source)
            if keepsTrailingBytes { source.line("writer.writeBytes(self.trailingBytes)") }
            if let (format, order) = sizePrefix, let width = format.fixedByteCount {
                source.line(
                    "writer.patchCount(writer.offset - start - \(width), at: start, .\(format.name), \(order.swiftCase))"
                )
            }
        }
    }

    // MARK: Showing

    /// What a type with a sensitive field conforms to, behind all else.
    static let mirrorConformance = ", Swift::CustomReflectable"

    /// Whether any field must not be shown.
    var isSensitive: Bool { fields.contains { $0.description.isSensitive } }

    /// Writes the mirror by which Swift shows a value, for a type with a sensitive field.
    func writeMirror(to source: inout SwiftSource) {
        guard isSensitive else { return }
        var children = fields.map { field in
            let isHidden = field.description.isSensitive
            let value = isHidden ? "WirelineCodec::HiddenValue(\(field.access))" : field.access + " as Any"
            return "\(SwiftText.literal(field.name)): \(value)"
        }
        if keepsTrailingBytes { children.append("\"trailingBytes\": self.trailingBytes as Any") }
        source.blank()
        source.documentation("What `print`, `dump` and the like show: all but the values of sensitive fields.")
        source.block("public var customMirror: Swift::Mirror") { source in
            source.line(".init(self, children: [\(children.joined(separator: ", "))], displayStyle: .struct)")
        }
    }
}
