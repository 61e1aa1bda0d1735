// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

struct ScriptFile {
    let path: String

    init(_ path: String) { self.path = path }

    /// The limit is above the size of any script. It keeps a device or a wrong file from filling the memory.
    private static let maximumByteCount = 16 << 20

    /// Reads and checks the script. Prints its problems to standard error.
    func read(_ description: ProtocolDescription, _ console: Console) throws(CommandError) -> CheckedScript {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try System.contents(ofFile: path, limit: Self.maximumByteCount)
        } catch {
            throw .failure("cannot read \(path): \(error.reason)")
        }
        let result = CheckedScript.check(SourceFile(path: path, bytes: bytes), for: description)
        DiagnosticText(style: TextStyle(of: System.Descriptor.standardError))
            .report(result.diagnostics, omittedCount: result.omittedCount, console)
        guard let script = result.script else { throw .answerIsNo }
        return script
    }
}
