// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the members that messages and structures share.
struct SwiftBody {
    let types: SwiftTypes
    let plan: BodyPlan
    /// All fields, also those without a value.
    let fields: [SwiftField]
    /// The text before the field in errors: a message's name, or nothing for a structure.
    let name: String
    var access = "public"

    static let codecThrows = "throws(WirelineCodec::CodecError)"
    /// The header for conditions in code without a packet: it has the defaults.
    private static let usualHeader = "Definition.layout.completed([:])"
    private static let headerParameter = "header: WirelineCodec::PacketHeader"
    /// Whether a property holds the bytes after the last known field.
    private var keepsTrailingBytes: Bool { plan.end == .kept }
    var properties: [SwiftField] { fields.filter(\.hasValue) }
    private var modifier: String { access == "public" ? "public " : "" }

    // MARK: Properties

    func writeProperties(to source: inout SwiftSource) {
        let properties = properties
        for field in properties {
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
            source.documentation("Bytes after the last field that this schema knows, from a peer with a newer one.")
            source.line("public var trailingBytes: [Swift::UInt8]")
        }
        if !properties.isEmpty || keepsTrailingBytes { source.blank() }
    }

    func writeInitializer(to source: inout SwiftSource) {
        var parameters = properties.map { field in
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
                for field in properties { source.line("\(field.access) = \(SwiftIdentifier.quoted(field.name))") }
                if keepsTrailingBytes { source.line("self.trailingBytes = trailingBytes") }
            }
        }
        source.blank()
    }

    // MARK: Reading

    func writeReading(to source: inout SwiftSource) {
        let parameter = "from reader: inout WirelineCodec::ByteReader"
        if plan.looksAtHeader {
            source.block("\(modifier)init(\(parameter)) \(Self.codecThrows)") { source in
                source.line("try self.init(from: &reader, header: \(Self.usualHeader))")
            }
            source.blank()
        }
        let header = plan.looksAtHeader ? ", \(Self.headerParameter)" : ""
        source.open("\(modifier)init(\(parameter)\(header)) \(Self.codecThrows) {")
        if plan.countsDepth { source.line("try reader.enterStructure()") }
        if let prefix = plan.sizePrefix {
            let arguments = prefix.swiftArguments + types.forms(prefix.format)
            source.line("let body = try reader.enterSizedBody(byteCount: reader.readCount(\(arguments)))")
        }
        var reading = SwiftReading(types, in: source.nested(by: 1))
        reading.read(plan, fields)
        if keepsTrailingBytes {
            reading.append("self.trailingBytes = reader.readTrailingBytes()")
        }
        if plan.end == .refused { reading.append("try reader.requireEnd()", failingAt: fields.count) }
        finish(reading.source, reading.errors, to: &source)
        if plan.sizePrefix != nil { source.line("reader.leaveSizedBody(body)") }
        if plan.countsDepth { source.line("reader.leaveStructure()") }
        source.close("}")
    }

    /// Wraps statements so that their errors name the field.
    private func finish(_ statements: SwiftSource, _ errors: SwiftErrorPlace, to source: inout SwiftSource) {
        guard errors.canFail else { return source.append(statements.indented(by: -1)) }
        let field = errors.setsField ? "field" : "\(errors.firstField)"
        if errors.setsField { source.line("var field: Swift::Int = \(errors.firstField)") }
        if errors.setsItem { source.line("var item: Swift::Int = -1") }
        source.open("do \(Self.codecThrows) {")
        source.append(statements)
        source.close()
        source.open("} catch {")
        let table = SwiftText.literal(types.fieldTable(plan))
        let item = errors.setsItem ? ", item: item" : ""
        source.line(
            "try error.throwLocated(in: \(SwiftText.literal(name)), fields: \(table), at: \(field)\(item))")
        source.close("}")
    }

    // MARK: Sizing

    func writeSizing(_ function: String, to source: inout SwiftSource) {
        var sizing = SwiftSizing(types, depth: plan.countsDepth ? "depth + 1" : "1", in: source.nested(by: 2))
        sizing.measure(plan, fields)
        if plan.looksAtHeader {
            source.block("\(modifier)func \(function)() \(Self.codecThrows) -> Swift::Int") { source in
                source.line("try self.\(function)(header: \(Self.usualHeader))")
            }
            source.blank()
        }
        // Only structures count depth, and only conditions of messages refer to the header.
        let parameter = plan.countsDepth ? "depth: Swift::Int" : plan.looksAtHeader ? Self.headerParameter : ""
        let isVarint = plan.sizePrefix?.format == .varint
        source.open(
            "\(modifier)func \(isVarint ? "bodyByteCount" : function)(\(parameter)) \(Self.codecThrows) -> Swift::Int {"
        )
        if plan.countsDepth, !isVarint { writeDepthCheck(to: &source) }
        if sizing.adds { source.line("var byteCount: Swift::Int = \(sizing.constant)") }
        finish(sizing.source, sizing.errors, to: &source)
        let total = sizing.adds ? "byteCount" : "\(sizing.constant)"
        if let prefix = plan.sizePrefix, let width = prefix.format.fixedByteCount {
            source.line("try WirelineCodec::FieldCheck.count(\(total), limit: \(SwiftText.limit(prefix)))")
            source.line("return \(total) + \(width)")
        } else {
            source.line("return \(total)")
        }
        source.close("}")
        guard let prefix = plan.sizePrefix, isVarint else { return }
        source.blank()
        source.block("\(modifier)func \(function)(\(parameter)) \(Self.codecThrows) -> Swift::Int") { source in
            if plan.countsDepth { writeDepthCheck(to: &source) }
            source.line("let byteCount = try self.bodyByteCount(\(plan.countsDepth ? "depth: depth" : ""))")
            source.line("try WirelineCodec::FieldCheck.count(byteCount, limit: \(SwiftText.limit(prefix)))")
            source.line("return byteCount + Swift::UInt64(byteCount).varintByteCount")
        }
    }

    private func writeDepthCheck(to source: inout SwiftSource) {
        source.line(
            "try WirelineCodec::FieldCheck.depth(depth, limit: \(types.description.options.maximumDepth))")
    }

    // MARK: Writing

    func writeWriting(to source: inout SwiftSource) {
        source.block("\(modifier)func writePayload(to writer: inout WirelineCodec::ByteWriter)") { source in
            if let prefix = plan.sizePrefix {
                if prefix.format == .varint {
                    // Sizes that cannot be counted have been refused before anything is written.
                    let depth = plan.countsDepth ? "depth: 0" : ""
                    source.line("let byteCount = (try? self.bodyByteCount(\(depth))) ?? 0")
                    source.line("writer.writeCount(byteCount, \(prefix.swiftArguments))")
                } else {
                    source.line("let start = writer.offset")
                    source.line("writer.writeCount(0, \(prefix.swiftArguments))")
                }
            }
            // A separate source, because copying all source so far for each type would take quadratic time.
            var writing = SwiftWriting(types, in: source.nested(by: 0))
            writing.write(plan, fields)
            source.append(writing.source)
            if keepsTrailingBytes { source.line("writer.writeBytes(self.trailingBytes)") }
            if let prefix = plan.sizePrefix, let width = prefix.format.fixedByteCount {
                source.line(
                    "writer.patchCount(writer.offset - start - \(width), at: start, \(prefix.swiftArguments))")
            }
        }
    }

    // MARK: Showing

    /// Whether a field is called `description`, so that the type cannot have that member.
    var hasDescription: Bool { properties.contains { $0.name == "description" } }

    /// Writes the conformance for printing: by fields, without sensitive values.
    func writePrinting(of type: String, to source: inout SwiftSource) {
        if !hasDescription {
            source.blank()
            source.line("extension \(type): WirelineCodec::FieldwiseDescription {}")
        }
        if fields.contains(where: \.description.isSensitive) { writeMirror(of: type, to: &source) }
    }

    private func writeMirror(of type: String, to source: inout SwiftSource) {
        var children = properties.map { field in
            let isHidden = field.description.isSensitive
            let value = isHidden ? "WirelineCodec::HiddenValue(\(field.access))" : field.access + " as Any"
            return "\(SwiftText.literal(field.name)): \(value)"
        }
        if keepsTrailingBytes { children.append("\"trailingBytes\": self.trailingBytes as Any") }
        source.blank()
        source.exceptInEmbedded { source in
            source.block("extension \(type): Swift::CustomReflectable") { source in
                source.documentation("What `print`, `dump` and the like show: all but the values of sensitive fields.")
                source.block("public var customMirror: Swift::Mirror") { source in
                    source.line(".init(self, children: [\(children.joined(separator: ", "))], displayStyle: .struct)")
                }
            }
        }
    }
}
