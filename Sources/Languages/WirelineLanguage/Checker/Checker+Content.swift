// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The lines about the packet's content that have been checked so far.
struct ContentLines {
    private var result: PacketContent
    private var checkedCount = 0
    private var isFaulty = false
    private var places: [String: SourceSpan] = [:]
    fileprivate(set) var ciphers: [(name: NameSyntax, attributes: AttributeSet)] = []

    init(_ options: ProtocolOptions) {
        result = PacketContent(
            maximumInflatedByteCount: options.maximumInflatedByteCount, maximumNestedDepth: options.maximumNestedDepth)
    }

    /// The content; nil if a line had an error.
    ///
    /// Limits apply only to layers and packets. Without these, the content is the plain one.
    var content: PacketContent? { isFaulty ? nil : result.isPlain ? PacketContent() : result }

    /// Checks the lines before one of the packet's fields.
    ///
    /// - Parameters:
    ///   - index: The position of the field among those of header and trailer; their number for the last lines.
    ///   - scope: The operands of conditions there.
    ///   - fields: The fields before it; nil for those with a reported error.
    mutating func check(
        _ packet: PacketSyntax, beforeField index: Int, _ scope: ConditionScope, _ fields: [PacketField?],
        with checker: inout Checker
    ) {
        while checkedCount < packet.content.count, packet.content[checkedCount].fieldCount <= index {
            let line = packet.content[checkedCount]
            checkedCount += 1
            let attributes = checker.attributes(line.attributes, at: .content)
            guard let condition = checker.lineCondition(of: line, attributes, scope, fields) else {
                isFaulty = true
                continue
            }
            add(line, attributes, condition.value, scope, fields, with: &checker)
        }
    }

    private mutating func add(
        _ line: ContentSyntax, _ attributes: AttributeSet, _ condition: WireCondition?, _ scope: ConditionScope,
        _ fields: [PacketField?], with checker: inout Checker
    ) {
        if let transform = line.transform {
            guard let kind = checker.layerKind(line, scope, fields) else {
                isFaulty = true
                return
            }
            guard result.layers.count < PacketContent.maximumLayerCount else {
                isFaulty = true
                return checker.reporter.error(
                    "a packet has at most \(PacketContent.maximumLayerCount) layers", at: line.word.span,
                    help: "remove one of them")
            }
            result.layers.append(PacketContent.Layer(kind, afterFields: line.fieldCount, if: condition))
            // A cipher that keeps the content's length has no room for an authentication tag.
            if !kind.mayInflate {
                ciphers.append((transform, attributes))
            } else {
                checker.refuseAcceptance(attributes)
            }
            return
        }
        checker.refuseAcceptance(attributes)
        if let first = places[line.word.text] {
            isFaulty = true
            return checker.reporter.error(
                "a second \("\(line.word.text);".quoted)", at: line.word.span,
                help: "write one condition with `or`", related: [.first(first)])
        }
        places[line.word.text] = line.word.span
        if line.word.text == "packets" {
            result.packets = PacketContent.Line(if: condition)
        } else {
            result.opaque = PacketContent.Line(if: condition)
        }
    }
}

/// The condition of a line; nil for a line that always applies.
private struct LineCondition {
    var value: WireCondition?
}

extension Checker {
    /// Returns the condition of a line, or none; nil if an error was reported.
    fileprivate mutating func lineCondition(
        of line: ContentSyntax, _ attributes: AttributeSet, _ scope: ConditionScope, _ fields: [PacketField?]
    ) -> LineCondition? {
        guard attributes.has(.condition) else {
            let isFaulty = line.attributes.contains { $0.name.text != AttributeKind.accept.rawValue }
            return isFaulty ? nil : LineCondition(value: nil)
        }
        guard case .condition(let syntax)? = attributes.argument(of: .condition),
            let condition = condition(syntax, in: scope)
        else { return nil }
        for operand in condition.operands {
            guard case .field(let name) = operand,
                let field = fields.lazy.compactMap(\.self).first(where: { $0.name == name }), field.fittingValues != nil
            else { continue }
            reporter.error(
                "\(line.word.text.quoted) cannot depend on \(name.quoted), which has `@fit`", at: syntax.span,
                help: "`@fit` looks at the length of what layers have made: let the condition look at another field")
            return nil
        }
        return LineCondition(value: condition)
    }

    /// The only word that `@accept` takes.
    static let acceptableFault = "unauthenticated"

    /// Warns once if a layer enciphers without authentication, unless the schema accepts that.
    ///
    /// - Parameter attributes: The packet's attributes; they apply to all of its layers.
    func warnAboutCiphers(_ lines: ContentLines, _ attributes: AttributeSet) {
        if lines.ciphers.isEmpty { refuseAcceptance(attributes) }
        let isAccepted = accepts(attributes)
        let open = lines.ciphers.filter { !accepts($0.attributes) }
        guard !isAccepted, let cipher = open.first?.name else { return }
        reporter.warning(
            "\(cipher.text.quoted) enciphers, but does not notice that packets were changed", at: cipher.span,
            help: "carry the protocol inside of TLS; if its design is given, write "
                + "`@accept(\(Self.acceptableFault))` before the `layer`, or before `packet` for all layers")
    }

    /// Whether `@accept(unauthenticated)` is there. Reports another word.
    private func accepts(_ attributes: AttributeSet) -> Bool {
        if let word = attributes.name(.accept), word.text != Self.acceptableFault {
            reporter.error(
                "`@accept` does not know \(word.text.quoted)", at: word.span,
                help: "write `@accept(\(Self.acceptableFault))`")
        }
        return attributes.has(.accept)
    }

    /// Refuses `@accept` if no layer needs it.
    fileprivate func refuseAcceptance(_ attributes: AttributeSet) {
        guard let span = attributes.span(of: .accept) else { return }
        reporter.error(
            "nothing is to be accepted here", at: span,
            help: "remove it: it is for ciphers that do not notice changed packets")
    }

    /// Returns the transform of a layer; nil if an error was reported.
    fileprivate mutating func layerKind(
        _ line: ContentSyntax, _ scope: ConditionScope, _ fields: [PacketField?]
    ) -> LayerKind? {
        guard let transform = line.transform, !transform.isFaulty, !line.arguments.contains(where: \.isFaulty) else {
            return nil
        }
        let names = line.arguments.map(\.text)
        switch (transform.text, names.count) {
        case ("zlib", 0): return .zlib
        case ("deflate", 0): return .deflate
        case ("gzip", 0): return .gzip
        case ("brotli", 0): return .brotli
        case ("xor", 1): return .xor(key: names[0])
        case ("rc4", 1): return .rc4(key: names[0])
        case ("custom", 1): return .custom(names[0])
        case ("aes_ctr", 2): return vector(line, scope, fields).map { .aesCTR(key: names[0], vector: $0) }
        case ("aes_cbc", 2): return vector(line, scope, fields).map { .aesCBC(key: names[0], vector: $0) }
        default: break
        }
        let place = line.arguments.last.map { transform.span.through($0.span) } ?? transform.span
        if let example = Self.layerExamples[transform.text] {
            reporter.error("this layer is written `\(example)`", at: place, help: Self.help(forLayer: transform.text))
        } else {
            let known = Self.layerExamples.keys.sorted()
            reporter.error(
                "no layer is named \(transform.text.quoted)", at: transform.span,
                help: spelling.help(for: transform.text, among: known)
                    ?? "the layers are \(Self.list(known)); `custom` is one of the program's own")
        }
        return nil
    }

    /// Returns the initial vector of AES: a field before the layer, or else a key.
    private mutating func vector(
        _ line: ContentSyntax, _ scope: ConditionScope, _ fields: [PacketField?]
    ) -> LayerKind.Vector? {
        let name = line.arguments[1]
        guard scope.fields[name.text] != nil else {
            guard !scope.allFields.contains(name.text) else {
                reporter.error(
                    "\(name.text.quoted) does not stand before this layer", at: name.span,
                    help: "the layer begins with it: move \(name.text.quoted) up")
                return nil
            }
            return .key(name.text)
        }
        guard let field = fields.lazy.compactMap(\.self).first(where: { $0.name == name.text }) else { return nil }
        guard case .bytes(byteCount: 16) = field.format else {
            reporter.error(
                "\(name.text.quoted) is no field of 16 bytes", at: name.span,
                help: "AES begins with 16 bytes: write `@size(16) bytes \(name.text);`")
            return nil
        }
        return .field(name.text)
    }

    static let layerExamples = [
        "zlib": "layer zlib;", "deflate": "layer deflate;", "gzip": "layer gzip;", "brotli": "layer brotli;",
        "xor": "layer xor(key);", "rc4": "layer rc4(key);", "custom": "layer custom(name);",
        "aes_ctr": "layer aes_ctr(key, iv);", "aes_cbc": "layer aes_cbc(key, iv);",
    ]

    private static func help(forLayer name: String) -> String {
        switch name {
        case "zlib", "deflate", "gzip", "brotli": "it has no key, and the program decides about the level"
        case "custom": "the program gives it the transform of this name"
        case "aes_ctr", "aes_cbc": "`iv` is a key of 16 bytes, or a field of 16 bytes before the layer"
        default: "the program gives it the key of this name"
        }
    }
}
