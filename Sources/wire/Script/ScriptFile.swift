// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Wireline
import WirelineSchema
import WirelineTransport

/// A script where somebody has written it.
struct ScriptFile {
    let path: String

    init(_ path: String) { self.path = path }

    /// More than anybody writes; so that a device or a wrong file does not fill the memory.
    private static let maximumByteCount = 16 << 20

    /// A script that has been read, and what it was read from.
    struct Contents: Sendable {
        let script: Script
        let source: SourceText
        let translator: PacketTranslator
    }

    /// Reads and checks it; problems go to standard error.
    func read(_ description: ProtocolDescription, _ console: Console) throws(CommandError) -> Contents {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try System.contents(ofFile: path, limit: Self.maximumByteCount)
        } catch {
            throw .failure("cannot read \(path): \(error.reason)")
        }
        let source = SourceText(SourceFile(path: path, bytes: bytes))
        let reporter = Reporter(sources: [source])
        let translator = PacketTranslator(description)
        let script = ScriptParser.parse(source, translator, reporter)
        DiagnosticText(style: TextStyle(of: System.Descriptor.standardError))
            .report(reporter.sortedDiagnostics(), omittedCount: reporter.omittedCount, console)
        guard let script else { throw .answerIsNo }
        return Contents(script: script, source: source, translator: translator)
    }
}

extension ScriptFile.Contents {
    /// What deals with connections as the script says.
    func makeHandler(_ log: ConnectionLog) -> PacketHandler {
        let run = ScriptRun(script, source, translator, log)
        let lastNumber = Atomic(0)
        return .task { [run] listener, connection in
            let number = lastNumber.add(1, ordering: .relaxed).newValue
            // The listener waits for it.
            return Task(executorPreference: connection.loop) {
                listener.taskBegins(connection)
                var failure: (any Error)?
                do { try await ScriptConnection(connection, run, number: number).serve() } catch { failure = error }
                listener.taskEnds(connection, failure)
            }
        }
    }
}
