// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSwiftGenerator

/// Makes the script through which `wire conform` tests the generated module: it converts JSON to messages and back.
struct PythonAdapter {
    private let plan: GeneratorModel

    init(_ plan: GeneratorModel) { self.plan = plan }

    func file() -> GeneratedFile {
        let stem = plan.description.fileStem
        let module = "import \(stem)_protocol as wire"
        let program = RuntimeFile.pythonAdapter.with(plan.features, ["CONNECTION_ARGUMENTS": connectionArguments])
        let arms = plan.names.unions.map { "[\($0.cases.map(PythonText.string).joined(separator: ", "))]" }
        let text = """
            \(plan.description.fileHead("#", title: PythonModule.title(plan.description)))
            # ruff: noqa
            # fmt: off

            \"\"\"Asks the module \(stem)_protocol.py beside it on behalf of `wire conform`:

                wire conform --command 'python3 \(stem)_conform.py'
            \"\"\"

            from __future__ import annotations

            \(program.text("imports"))

            \(module)

            TABLES: Final[dict[str, Any]] = json.loads(\(PythonText.string(AdapterTables(plan).json)))
            # The classes of the arms of each union.
            ARMS: Final[list[list[str]]] = [\(arms.joined(separator: ", "))]
            SENDERS_DIFFER: Final[bool] = \(plan.dependsOnSender ? "True" : "False")
            HAS_CONNECTION: Final[bool] = \(plan.context == nil ? "False" : "True")

            \(program.text("all"))

            """
        return GeneratedFile(path: stem + "_conform.py", text: text)
    }

    /// The arguments of a connection for one question, with functions that Python lacks.
    private var connectionArguments: String {
        var arguments =
            plan.context?.states.isEmpty != false
            ? [] : ["states={name: int(v) for name, v in (request.get(\"state\") or {}).items()}"]
        if plan.layers?.hasAES == true { arguments.append("aes=aes") }
        let layers = plan.layers?.programLayers ?? []
        if !layers.isEmpty {
            let members = layers.map { name in
                "\(PythonText.string(name)): lambda _: \(name == "brotli" ? "Brotli" : "Absent")(\(PythonText.string(name)))"
            }
            arguments.append("layers={\(members.joined(separator: ", "))}")
        }
        return arguments.joined(separator: ", ")
    }
}
