// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

extension Command {
    static let languageServer = Command(
        name: "lsp",
        summary: "run a language server for .wire files on standard input and output",
        parameters: [],
        options: [.standardStreams],
        example: "wire lsp < /dev/null",
        run: { _, console throws(CommandError) in
            var server = LanguageServer(version: Tool.version, readFolder: contents(ofFolder:))
            while server.end == nil {
                let piece = try StandardInput.piece()
                server.receive(piece)
                if piece.isEmpty || !StandardInput.hasArrived { server.publishProblems() }
                if piece.isEmpty { server.receiveEnd() }
                try console.write(server.takeOutput())
                try console.flush()
            }
            guard server.end == .orderly else { throw .answerIsNo }
        })

    /// Returns the files of a folder, and why others cannot be read.
    private static func contents(ofFolder path: String) -> FolderContents {
        var contents = FolderContents()
        // An editor may open the first file of a protocol before the folder exists.
        guard (try? System.kind(of: path)) == .folder else { return contents }
        var limit = ProtocolFolder.maximumFileByteCount
        do throws(CommandError) {
            for name in try ProtocolFolder.wireFiles(in: path) {
                let file = path.joiningPath(name)
                do throws(SystemError) {
                    let bytes = try System.contents(ofFile: file, limit: limit)
                    contents.files.append(SourceFile(path: name, bytes: bytes))
                    limit -= bytes.count
                } catch {
                    contents.faults.append("cannot read \(file): \(error.reason)")
                }
            }
        } catch .failure(let reason, _) {
            contents.faults.append(reason)
        } catch {
            contents.faults.append("cannot read \(path)")
        }
        return contents
    }
}

extension Option {
    fileprivate static let standardStreams = Option(
        "--stdio", "use standard input and output: always so, for editors that say it")
}
