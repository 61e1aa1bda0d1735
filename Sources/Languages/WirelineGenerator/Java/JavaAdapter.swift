// SPDX-License-Identifier: Apache-2.0

import WirelineLanguage
import WirelineSwiftGenerator

/// Makes the program through which `wire conform` tests the generated class. By reflection it converts JSON to messages
/// and back.
struct JavaAdapter {
    private let dialect: JavaDialect
    private let package: String
    private var plan: GeneratorModel { dialect.plan }

    init(_ dialect: JavaDialect, package: String) {
        self.dialect = dialect
        self.package = package
    }

    func file(in folder: String) -> GeneratedFile {
        let name = plan.description.upperCamelName + "Conform"
        let whole = package.isEmpty ? name : package + "." + name
        // A literal holds 64 KiB.
        let json = Array(AdapterTables(plan, tellsUnsigned: true).json)
        let pieces = stride(from: 0, to: json.count, by: 8_000).map { start in
            JavaText.string(String(json[start..<min(start + 8_000, json.count)]))
        }
        let prefix = (package.isEmpty ? "" : package + ".") + dialect.className + "$"
        let imports = Self.imports.map { "import \($0);" }.joined(separator: "\n")
        let text = """
            \(plan.description.fileHead("//", title: JavaModule.title(plan.description)))
            //
            // Asks the class \(dialect.className) beside it on behalf of `wire conform`:
            //
            //   javac *.java && wire conform --command 'java \(whole)'

            \(package.isEmpty ? "" : "package \(package);\n\n")\
            \(imports)

            public final class \(name) {
                private static final String[] PIECES = {
            \(pieces.map { "        \($0)," }.joined(separator: "\n"))
                };
                private static final Map<String, Object> TABLES = map(new Parser(String.join("", PIECES)).parsed());
                private static final String PREFIX = "\(prefix)";

                private \(name)() {}

            \(BraceText.indented(program))
            }

            """
        return GeneratedFile(path: folder + name + ".java", text: text)
    }

    private static let imports =
        [
            "java.math.BigInteger", "java.nio.charset.StandardCharsets",
        ] + ["ArrayList", "Base64", "LinkedHashMap", "List", "Map"].map { "java.util." + $0 }

    private var program: String {
        let layers = (plan.layers?.programLayers ?? []).map { ["LAYER_NAME": JavaText.string($0)] }
        return RuntimeFile.javaAdapter.with(plan.features, each: layers).text("all")
            .replacing("Wire.", with: dialect.className + ".")
    }
}
