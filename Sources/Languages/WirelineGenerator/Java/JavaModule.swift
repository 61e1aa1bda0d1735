// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSwiftGenerator

/// Makes the class: its constants, types and messages, and the parts of the runtime that they need.
struct JavaModule {
    private let dialect: JavaDialect
    private let classes: ClassPrinter
    private let package: String
    private var plan: GeneratorModel { dialect.plan }
    private var description: ProtocolDescription { plan.description }
    private var names: CodeNames { plan.names }

    init(_ dialect: JavaDialect, package: String) {
        self.dialect = dialect
        self.package = package
        classes = ClassPrinter(dialect)
    }

    func text() -> String {
        let parts = classes.constants + classes.functions
        let types = classes.types
        let file = dialect.runtime
        let calls = StatementBuilder.calls(in: parts + types).union(classes.layers?.checksums ?? [])
        let (runtime, frame) = classes.runtime(calls)
        let all =
            [file.text("api"), make] + parts + types + [file.text("types")] + (classes.layers?.classes ?? [])
            + runtime + frame + (calls.contains("filled") ? [file.text("filled")] : [])
        let members = all.filter { !$0.isEmpty }.map { BraceText.indented($0) }.joined(separator: "\n\n")
        let documentation =
            JavaText.comment(description.documentation).isEmpty
            ? ["/** The protocol \(Self.title(description)). */"] : JavaText.comment(description.documentation)
        return
            ([
                description.fileHead("//", title: Self.title(description)), "",
            ] + (package.isEmpty ? [] : ["package \(package);", ""]) + documentation + [
                "public final class \(dialect.className) {", "    private \(dialect.className)() {}", "", members, "}",
                "",
            ]).joined(separator: "\n")
    }

    static func title(_ description: ProtocolDescription) -> String { JavaText.escaped(description.title) }

    /// The function that makes an empty message by its ID.
    private var make: String {
        func cases(_ sender: Sender) -> [String] {
            let indices = description.messages(from: sender)
            let isSmall = { (index: Int) in description.messages[index].id <= UInt64(Int32.max) }
            let small = indices.filter(isSmall)
            let large = indices.filter { !isSmall($0) }.map { index in
                "if (id == \(dialect.text(.number(Int128(description.messages[index].id), .uint64)))) return new \(names.messages[index].name)();"
            }
            guard !small.isEmpty else { return large }
            let lines = small.map { index in
                "    case \(description.messages[index].id): return new \(names.messages[index].name)();"
            }
            return ["if (id >= 0 && id <= Integer.MAX_VALUE) switch ((int) id) {"] + lines
                + ["    default: break;", "}"] + large
        }
        let lines =
            ["if (sender == Sender.CLIENT) {"] + cases(.client).map { "    " + $0 } + ["} else {"]
            + cases(.server).map { "    " + $0 }
            + ["}", "UnknownMessage unknown = new UnknownMessage();", "unknown.id = id;", "return unknown;"]
        return BraceText.function("private static Message make(long id, Sender sender)", lines)
    }
}
