// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import Wireline
package import WirelineSchema
import WirelineTransport

/// A script without errors that fits a protocol.
package struct CheckedScript: Sendable {
    private let script: Script
    private let source: SourceText
    private let translator: PacketTranslator

    package var ruleCount: Int { script.rules.count }

    /// - Returns: The script (nil if it has an error), its problems, and how many further problems were dropped.
    package static func check(
        _ file: SourceFile, for description: ProtocolDescription
    ) -> (script: CheckedScript?, diagnostics: [Diagnostic], omittedCount: Int) {
        let source = SourceText(file)
        let reporter = Reporter(sources: [source])
        let translator = PacketTranslator(description)
        let script = ScriptParser.parse(source, translator, reporter)
        return (
            script.map { CheckedScript(script: $0, source: source, translator: translator) },
            reporter.sortedDiagnostics(), reporter.omittedCount
        )
    }

    /// Returns the handler that serves connections with the script.
    ///
    /// - Parameter note: Receives messages for the user that are not errors. It is called on the connections' loops.
    package func makeHandler(note: @escaping @Sendable (String) -> Void) -> PacketHandler {
        let run = ScriptRun(script, source, translator, note: note)
        let lastNumber = Atomic(0)
        return .task { [run] listener, connection in
            let number = lastNumber.add(1, ordering: .relaxed).newValue
            return Task(executorPreference: connection.loop) {
                listener.taskBegins(connection)
                var failure: (any Error)?
                do { try await ScriptConnection(connection, run, number: number).serve() } catch { failure = error }
                listener.taskEnds(connection, failure)
            }
        }
    }
}
