// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

/// A version of a protocol's schema: a folder, a file, or a folder in a git revision.
struct SchemaSource {
    let name: String
    let files: [SourceFile]
    /// The limit is above the size of any schema, as for files.
    private static let outputLimit = ProtocolFolder.maximumFileByteCount

    /// - Parameters:
    ///   - word: A folder, a file, `REV:DIR` or `REV`.
    ///   - folder: The folder for a revision that names none.
    ///   - mustBeLock: Whether a file must be one that `--write-lock` has written.
    init(_ word: String, folder: String, mustBeLock: Bool = false) throws(CommandError) {
        name = word
        switch try? System.kind(of: word) {
        case .file?: files = [try Self.file(word, mustBeLock: mustBeLock)]
        case .folder?: files = try ProtocolFolder(word).files()
        case .other?, nil:
            if mustBeLock {
                throw .failure("there is no file \(word)", hint: "`wire diff --write-lock \(word)` writes it")
            }
            if let named = try? ProtocolFolder(word) {
                files = try named.files()
            } else if let colon = word.firstIndex(of: ":") {
                let path = String(word[word.index(after: colon)...])
                files = try Self.files(ofRevision: String(word[..<colon]), at: path)
            } else {
                guard (try? System.kind(of: folder)) == .folder else {
                    throw .failure(
                        "\(word) is neither a folder nor a file",
                        hint: "of a git revision name the folder too: \(word):DIR")
                }
                files = try Self.files(ofRevision: word, at: folder)
            }
        }
    }

    /// Returns the protocol. If it has errors, prints them and throws.
    func describe(_ console: Console) throws(CommandError) -> ProtocolDescription {
        let result = ProtocolDescription.check(name: name, files: files)
        if let description = result.description { return description }
        DiagnosticText(style: TextStyle(of: System.Descriptor.standardError)).report(result, console)
        throw .failure("\(name) is not a protocol that can be used")
    }

    private static func file(_ path: String, mustBeLock: Bool) throws(CommandError) -> SourceFile {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try System.contents(ofFile: path, limit: ProtocolFolder.maximumFileByteCount)
        } catch {
            throw .failure("cannot read \(path): \(error.reason)")
        }
        switch LockFile.state(of: bytes) {
        case .whole: break
        case .none where !mustBeLock: break
        case .none:
            throw .failure("\(path) is not a lock file", hint: "`wire diff --write-lock \(path)` writes it")
        case .changed:
            throw .failure(
                "\(path) has been changed by hand: its checksum is another",
                hint: "take it from the release again, or write it anew with `wire diff --write-lock \(path)`")
        }
        return SourceFile(path: path, bytes: bytes)
    }

    // MARK: Git

    private static func files(ofRevision revision: String, at folder: String) throws(CommandError) -> [SourceFile] {
        guard !revision.isEmpty, !revision.hasPrefix("-") else {
            throw .failure("\(revision) is not a revision")
        }
        // For an absolute path, git runs in that folder. A relative path starts at the current folder.
        let isAbsolute = folder.hasPrefix("/")
        let place = isAbsolute ? ["-C", folder] : []
        let tree = revision + ":./" + (isAbsolute ? "" : folder)
        let list = try git(place + ["ls-tree", "--full-tree", "-z", "--name-only", tree])
        let names = list.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            .filter { $0.hasSuffix(".wire") && !$0.hasPrefix(".") }
        guard !names.isEmpty else { throw .failure("there is no .wire file in \(revision):\(folder)") }
        var files: [SourceFile] = []
        for name in names {
            let bytes = try git(place + ["cat-file", "blob", tree.joiningPath(name)])
            files.append(SourceFile(path: "\(revision):\(folder.joiningPath(name))", bytes: bytes))
        }
        return files
    }

    private static func git(_ words: [String]) throws(CommandError) -> [UInt8] {
        let result: System.ProgramResult
        do throws(SystemError) {
            result = try System.run("git", words, outputLimit: outputLimit)
        } catch {
            throw .failure("cannot run git: \(error.reason)")
        }
        guard result.status == 0 else {
            let reason = String(decoding: result.errors, as: UTF8.self).split(separator: "\n").first ?? "it has failed"
            throw .failure("git: \(reason)")
        }
        return result.output
    }
}
