// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSwiftGenerator

/// Makes the program through which `wire conform` tests the generated header: it converts JSON to messages and back.
///
/// C++ has no reflection, so each type gets a function that visits its members in the order of the tables.
struct CppAdapter {
    private let plan: GeneratorModel
    private let namespace: String
    private var names: CodeNames { plan.names }

    init(_ plan: GeneratorModel, namespace: String) {
        self.plan = plan
        self.namespace = namespace
    }

    func file() -> GeneratedFile {
        let own = plan.transformsOfProgram.map { name -> [String: String] in
            let kind = plan.layers?.kinds.first { $0.name == name }
            return ["LAYER_NAME": CppText.string(name), "LAYER_KIND": CppText.string(kind?.word ?? "")]
        }
        let types = CppTypes(plan)
        let kinds = [
            ("boxes", types.hasBoxes), ("properties", types.hasProperties), ("unions", !plan.unions.isEmpty),
        ].filter(\.1).map(\.0)
        let program = RuntimeFile.cppAdapter.with(CppRuntime.features(of: plan).union(kinds), each: own)
        // Compilers limit the length of a literal.
        let json = Array(AdapterTables(plan).json.utf8)
        let pieces = stride(from: 0, to: json.count, by: 2000).map { start in
            CppText.string(Array(json[start..<min(start + 2000, json.count)]))
        }
        let text = """
            \(plan.description.fileHead("//", title: CppModule.title(plan.description)))
            //
            // Asks the header beside it on behalf of `wire conform`:
            //
            //   g++ -std=c++17 \(plan.description.fileStem)_conform.cpp -o conform && wire conform --command ./conform

            #include "\(plan.description.fileStem)_protocol.hpp"

            \(program.text("includes"))

            namespace wire = \(namespace);

            namespace adapter {

            const char* const pieces[] = {
            \(CppText.indented(pieces.map { $0 + "," }).joined(separator: "\n"))
            };

            \(program.text("values"))

            \((members + states).joined(separator: "\n"))

            \(program.text("program"))

            """
        return GeneratedFile(path: plan.description.fileStem + "_conform.cpp", text: text)
    }

    /// The functions that visit the members of a value, and the table of the messages' types.
    private var members: [String] {
        let structures = zip(plan.structures, names.structures).map { function($1.name, members($0), $0.trailing) }
        let messages = zip(plan.messages, names.messages).map { function($1.name, members($0), $0.trailing) }
        let arms = zip(plan.unions, names.unions).flatMap { union, names in
            zip(union.plan.arms.indices, names.cases).map { position, name in
                let isKept = union.plan.arms[position].tag == nil
                return function(name, isKept ? ["tag", "bytes"] : union.arms[position].fields.isEmpty ? [] : ["value"])
            }
        }
        let header = plan.description.layout.fields.enumerated().filter { $0.element.role != .padding }
            .map { names.headerFields[$0.offset] }
        let types = names.messages.map { "Type::of<wire::\($0.name)>()," }
        let functions = [function("Header", header)] + structures + arms + messages
        let head = "const std::vector<Type>& types()"
        let table = CppText.block("static const std::vector<Type> all =", types, end: "};") + ["return all;"]
        // Types may contain each other.
        return functions.map { $0.head + ";" } + functions.map { "\($0.head) { return \($0.value); }" }
            + CppText.block(head, table)
    }

    private func function(
        _ name: String, _ members: [String], _ trailing: String? = nil
    ) -> (head: String, value: String) {
        let list = members.map { "Member(m.\($0))" }.joined(separator: ", ")
        let parameter = members.isEmpty && trailing == nil ? "" : " m"
        return (
            "template <> Members membersOf(wire::\(name)&\(parameter))",
            "{{\(list)}, \(trailing.map { "&m." + $0 } ?? "nullptr")}"
        )
    }

    private func members(_ body: BodyFields) -> [String] { body.fields.filter(\.planned.hasValue).map(\.ownName) }

    private var states: [String] {
        guard plan.context != nil else { return [] }
        let calls = names.states.map { "v(m.\($0));" }.joined(separator: " ")
        let parameters = "[[maybe_unused]] V& v, [[maybe_unused]] wire::Connection& m"
        return ["template <class V> void visitStates(\(parameters)) { \(calls) }"]
    }
}
