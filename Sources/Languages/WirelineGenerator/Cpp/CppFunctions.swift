// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

struct CppFunctions {
    let types: CppTypes
    let builder: StatementBuilder
    private var plan: GeneratorModel { types.plan }
    private var description: ProtocolDescription { plan.description }
    private var names: CodeNames { plan.names }

    /// The type of a packet before its message is read.
    private var opened: String { plan.layers == nil ? "Opened" : "Part" }

    // MARK: Bodies

    /// The traits of each message, as packets need them.
    var traits: [String] {
        description.messages.indices.map { index in
            let (message, name) = (description.messages[index], names.messages[index].name)
            let sender = message.senders.count == 1 ? message.senders.first.map { "Sender::\($0.rawValue)" } : nil
            var lines = [
                "static constexpr int index = \(index + 1);",
                "static constexpr const char* name = \(CppText.string(message.name));", "",
                "static std::uint64_t id(const \(name)&) { return \(CppTypes.literal(Int128(message.id), .uint64)); }",
                "", "static void read(Reader& r, \(name)& m, const Header& h);",
                "", "static void write(Writer& w, const \(name)& m, const Header& h);",
            ]
            if !message.headerValues.isEmpty {
                lines += ["", "static void verify(Reader& r, const Header& h, \(places) at);"]
            }
            if !plan.fixedHeaderFields.isEmpty {
                lines += [
                    "",
                    "static void fix(Writer&" + (message.headerValues.isEmpty ? ", Header&) {}" : " w, Header& h);"),
                ]
            }
            if plan.takesSender {
                let head = "static std::optional<Sender> sender(const \(name)&)"
                lines += ["", "\(head) { return \(sender ?? "std::nullopt"); }"]
            }
            return CppText.block("template <> struct Traits<\(name)>", lines, end: "};").joined(separator: "\n")
        }
    }

    private var bodyFunctions: [PrintedFunction] {
        let structures = plan.used.structures.sorted().flatMap { index -> [PrintedFunction] in
            [.readStructure(index), .writeStructure(index)]
        }
        return structures + builder.unionFunctions
    }

    /// The functions of structures and unions, declared first because they call each other; then those of messages.
    var bodies: [String] {
        let own = bodyFunctions.map { (head($0, isDeclaration: true), text($0)) }
        return (own.isEmpty ? [] : [own.map { $0.0 + ";" }.joined(separator: "\n")]) + own.map(\.1)
            + description.messages.indices.flatMap(builder.functions(ofMessage:)).map(text)
    }

    var packets: [String] {
        let all = builder.packetFunctions
        // `wrap` calls `wrapFitted` for each value of an `@fit` field, and C++ needs that declared first.
        var functions = all.filter { if case .wrapFitted = $0 { true } else { false } }
        functions += all.filter { if case .wrapFitted = $0 { false } else { true } }
        guard let context = plan.context else { return functions.map(text) + [dispatch] }
        if plan.layers == nil { functions += [.unwrapAnyShape(context), .wrapAnyShape(context)] }
        let list = context.shapes.map(String.init).joined(separator: ", ")
        let shapes = "inline constexpr std::array<int, \(context.shapes.count)> shapes = {\(list)};"
        return functions.map(text) + [shapes, text(.shapeOf(context)), text(.change(context)), dispatch]
    }

    private func text(_ function: PrintedFunction) -> String {
        let lines = CppText.block(head(function), builder.dialect.function(statements(function)))
        return (lines + (tagOfAbsent(function) ?? [])).joined(separator: "\n")
    }

    /// Returns the function for the tag of an optional union; nil for other functions.
    private func tagOfAbsent(_ function: PrintedFunction) -> [String]? {
        guard case .tagOfUnion(let index) = function else { return nil }
        let (name, union) = (builder.unions[index].tag, names.unions[index].name)
        return [
            "",
            "template <class T> auto \(name)(const std::optional<T>& m) { return m ? \(name)(*m) : \(name)(\(union)()); }",
        ]
    }

    private func statements(_ function: PrintedFunction) -> [Statement] {
        var union: String?
        if case .readUnion(let index, _) = function { union = names.unions[index].name }
        return builder.statements(of: function).replacing { statement in
            guard case .evaluate(.call(let object?, "deeper", let arguments)) = statement else { return [statement] }
            let nothing = union.map { Expression.call(nil, $0, []) }
            return [.choose(if: .not(.call(object, "deeper", arguments)), [.returns(nothing)])]
        }
    }

    private struct Parameter {
        let type: String
        let name: String

        init(_ type: String, _ name: String = "") {
            self.type = type
            self.name = name
        }

        static let reader = Parameter("Reader&", "r")
        static let writer = Parameter("Writer&", "w")
        static let field = Parameter("const char*", "f")
        static let header = Parameter("const Header&", "h")
        static let id = Parameter("std::uint64_t", "id")
        static let shape = Parameter("std::ptrdiff_t", "shape")
    }

    /// Returns the head of a function. Unused parameters have no name.
    private func head(_ function: PrintedFunction, isDeclaration: Bool = false) -> String {
        var uses = isDeclaration ? [:] : statements(function).uses
        if case .wrap(let shape) = function, shape.writePlan.fitting != nil { uses = ["w": 1, "id": 1, "h": 1] }
        let (result, name, parameters) = signature(function)
        let list = parameters.map { parameter in
            let isNamed = !parameter.name.isEmpty && (isDeclaration || uses[parameter.name] != nil)
            return isNamed ? "\(parameter.type) \(parameter.name)" : parameter.type
        }
        return "\(isDeclaration ? "" : "inline ")\(result) \(name)(\(list.joined(separator: ", ")))"
    }

    private func signature(
        _ function: PrintedFunction
    ) -> (result: String, name: String, parameters: [Parameter]) {
        switch function {
        case .readStructure(let index):
            return ("void", "readValue", [.reader, Parameter(names.structures[index].name + "&", "m"), .field])
        case .writeStructure(let index):
            let body = Parameter("const \(names.structures[index].name)&", "m")
            return ("void", "writeValue", [.writer, body, .field])
        case .readMessage(let index):
            return (
                "void", traits(index) + "read", [.reader, Parameter(names.messages[index].name + "&", "m"), .header]
            )
        case .writeMessage(let index):
            let body = Parameter("const \(names.messages[index].name)&", "m")
            return ("void", traits(index) + "write", [.writer, body, .header])
        case .verifyHeader(let index):
            return ("void", traits(index) + "verify", [.reader, .header, Parameter(places, "at")])
        case .fixHeader(let index):
            return ("void", traits(index) + "fix", [.writer, Parameter("Header&", "h")])
        case .readUnion(let index, let hasTag):
            let functions = builder.unions[index]
            return (
                names.unions[index].name, hasTag ? functions.read : functions.readTagged,
                [.reader] + (hasTag ? [] : [Parameter(tag(index), "t")]) + [.field]
            )
        case .writeUnion(let index, let hasTag):
            let functions = builder.unions[index]
            let union = Parameter("const \(names.unions[index].name)&", "m")
            return ("void", hasTag ? functions.write : functions.writeTagged, [.writer, union, .field])
        case .tagOfUnion(let index):
            return (tag(index), builder.unions[index].tag, [Parameter("const \(names.unions[index].name)&", "m")])
        case .unwrap(let shape):
            return ("bool", "unwrap\(shape.suffix)", [.reader, Parameter("\(opened)& packet")])
        case .wrap(let shape): return ("void", "wrap\(shape.suffix)", [.writer, .id, .header])
        case .wrapFitted(let shape):
            let type = shape.writePlan.fitting.map { builder.dialect.type(plan.headerType(shape.positions[$0.field])) }
            return ("void", "fitted\(shape.suffix)", [.writer, .id, .header, Parameter(type ?? "", "fit")])
        case .shapeOf:
            let nested = plan.layers == nil ? [] : [Parameter("bool", "nested")]
            return (
                "bool", "shapeOf",
                [Parameter("Sender", "sender"), Parameter("const Connection&", "c")] + nested
                    + [Parameter("[[maybe_unused]] Error& error"), Parameter("std::ptrdiff_t& shape")]
            )
        case .change:
            return ("void", "change", [Parameter("Connection&", "c"), Parameter("Sender", "sender"), .id])
        case .unwrapAnyShape:
            return ("bool", "unwrap", [.shape, .reader, Parameter("\(opened)&", "packet")])
        case .wrapAnyShape: return ("void", "wrap", [.shape, .writer, .id, .header])
        }
    }

    private func traits(_ message: Int) -> String { "Traits<\(names.messages[message].name)>::" }

    private var places: String { "const std::array<std::ptrdiff_t, \(plan.fixedHeaderFields.count)>&" }

    private func tag(_ index: Int) -> String { types.typeName(builder.tag(index)) }

    // MARK: Messages

    /// The function that reads a packet's message, by its ID.
    private var dispatch: String {
        func cases(_ sender: Sender) -> [String] {
            let messages = description.messages(from: sender)
            guard !messages.isEmpty else { return [] }
            let lines = messages.map { index in
                let (message, name) = (description.messages[index], names.messages[index].name)
                let call = message.headerValues.isEmpty ? "readInto" : "verifyAndRead"
                let arguments = message.headerValues.isEmpty ? "r, h, message" : "r, h, opened.at, message, isOfHeader"
                let id = CppTypes.literal(Int128(message.id), .uint64)
                return "case \(id): return \(call)<\(name)>(\(arguments));"
            }
            return CppText.block("switch (opened.id)", lines + ["default: break;"])
        }
        let head =
            "inline void dispatch(Reader& r, const \(opened)& opened, [[maybe_unused]] const Header& h, Sender sender, Message& message, [[maybe_unused]] bool& isOfHeader)"
        let lines =
            CppText.block("if (sender == Sender::client)", cases(.client))
            + CppText.block("if (sender == Sender::server)", cases(.server)) + [
                "r.begin(\"\");", "UnknownMessage& unknown = message.emplace<UnknownMessage>();",
                "unknown.id = opened.id;",
                "unknown.payload = r.blob(r.rest(-1, \"payload\"), \"payload\");",
            ]
        return CppText.block(head, lines).joined(separator: "\n")
    }
}
