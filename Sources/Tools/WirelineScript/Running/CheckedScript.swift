// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import Wireline
package import WirelineSchema
import WirelineTransport

/// A script that fits a protocol, and can serve connections.
package struct CheckedScript: Sendable {
    private let script: Script
    private let source: SourceText
    private let translator: PacketTranslator

    /// The number of rules.
    package var ruleCount: Int { script.rules.count }

    /// Parses a script and checks it against a protocol.
    ///
    /// - Returns: The script, which is nil if there is any error, the problems, and how many more were not kept.
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
    /// - Parameter note: Takes notes for the user, which are not errors; called on the loops of the connections.
    package func makeHandler(note: @escaping @Sendable (String) -> Void) -> PacketHandler {
        let run = ScriptRun(script, source, translator, note: note)
        let lastNumber = Atomic(0)
        return .task { [run] listener, connection in
            let number = lastNumber.add(1, ordering: .relaxed).newValue
            // The listener awaits it.
            return Task(executorPreference: connection.loop) {
                listener.taskBegins(connection)
                var failure: (any Error)?
                do { try await ScriptConnection(connection, run, number: number).serve() } catch { failure = error }
                listener.taskEnds(connection, failure)
            }
        }
    }
}
