// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

/// A folder of `.wire` files that somebody named, or that is the only one there is.
struct ProtocolFolder: Equatable {
    /// Where it is, without slashes at the end.
    let path: String

    /// The folder that holds the folders of protocols.
    static let home = "Protocols"
    /// More than anybody writes; so that a device or a wrong file does not fill the memory.
    static let maximumFileByteCount = 64 << 20

    /// The folder that was asked for, or the only one under `Protocols/`.
    ///
    /// - Parameter name: A path, or the bare name of a folder under `Protocols/`.
    init(_ name: String?) throws(CommandError) {
        if let name { try self.init(named: name) } else { try self.init(onlyOneIn: Self.home) }
    }

    private init(named name: String) throws(CommandError) {
        let trimmed = name.droppingSlashes
        switch try Self.kind(of: trimmed) {
        case .folder?:
            path = trimmed
        case .file?:
            throw .failure("\(name) is a file", hint: "a protocol is a folder, and all its .wire files belong to it")
        case .other?:
            throw .failure("\(name) is not a folder")
        case nil:
            let inHome = Self.home + "/" + trimmed
            guard !name.isEmpty else { throw .failure("the name of the protocol's folder is empty") }
            guard !name.contains("/"), try Self.kind(of: inHome) == .folder else {
                let known = (try? Self.candidates(in: Self.home)) ?? []
                throw .failure("there is no folder \(name)", hint: suggestion(for: name, among: known))
            }
            path = inHome
        }
    }

    private init(onlyOneIn home: String) throws(CommandError) {
        let names = try Self.candidates(in: home)
        let hint = "choose one with --protocol DIR"
        switch names.count {
        case 1: path = home + "/" + names[0]
        case 0: throw .usage("no protocol is chosen, and there is none under \(home)/", hint: hint)
        default: throw .usage("no protocol is chosen; there are \(names.joined(separator: ", "))", hint: hint)
        }
    }

    /// The protocol's name: the folder's own.
    var name: String {
        let last = path.lastPathComponent
        guard last == "." || last == ".." || last.isEmpty else { return last }
        return System.absolutePath(of: path)?.lastPathComponent ?? last
    }

    /// The names of its `.wire` files, in the order of their bytes.
    func fileNames() throws(CommandError) -> [String] {
        let names = try Self.wireFiles(in: path)
        guard names.isEmpty else { return names }
        let inside = ((try? Self.candidates(in: path)) ?? []).map { path.joiningPath($0) }
        throw .failure("there is no .wire file in \(path)", hint: Self.choice(of: inside))
    }

    /// The paths of its `.wire` files, in the same order.
    func filePaths() throws(CommandError) -> [String] {
        try fileNames().map { path == "." ? $0 : path.joiningPath($0) }
    }

    /// The folders inside of one that is none itself: one folder is one protocol.
    private static func choice(of folders: [String]) -> String? {
        guard let first = folders.first else { return nil }
        guard folders.count > 1 else { return "did you mean `\(first)`?" }
        return "did you mean one of its folders: " + folders.prefix(8).joined(separator: ", ")
            + (folders.count > 8 ? ", …" : "")
    }

    /// Reads its `.wire` files.
    func files() throws(CommandError) -> [SourceFile] {
        var files: [SourceFile] = []
        for file in try filePaths() {
            do throws(SystemError) {
                let bytes = try System.contents(ofFile: file, limit: Self.maximumFileByteCount)
                files.append(SourceFile(path: file, bytes: bytes))
            } catch {
                throw .failure("cannot read \(file): \(error.reason)")
            }
        }
        return files
    }

    /// Reads and checks the folder.
    func check() throws(CommandError) -> CheckResult {
        ProtocolDescription.check(name: name, files: try files())
    }

    /// The protocol, for commands that need a right one; warnings are left to `check`.
    func describe(_ console: Console) throws(CommandError) -> ProtocolDescription {
        let result = try check()
        if let description = result.description { return description }
        DiagnosticText(style: TextStyle(of: System.Descriptor.standardError)).report(result, console)
        throw .failure("\(path) is not a protocol that can be used")
    }

    // MARK: What stands where

    /// The names of the folders in `home` that hold a `.wire` file.
    private static func candidates(in home: String) throws(CommandError) -> [String] {
        guard try kind(of: home) == .folder else { return [] }
        return try names(in: home).filter { mayBeProtocol(home + "/" + $0) }
    }

    /// What cannot be looked at is no folder, but a folder that cannot be read may be a protocol: to choose another without
    /// a word would be a guess.
    private static func mayBeProtocol(_ path: String) -> Bool {
        (try? kind(of: path)) == .folder && (try? wireFiles(in: path).isEmpty) != true
    }

    /// The names of the `.wire` files in a folder; a folder of such a name is none.
    private static func wireFiles(in folder: String) throws(CommandError) -> [String] {
        var result: [String] = []
        for name in try names(in: folder) where name.hasSuffix(".wire") {
            // A link that leads nowhere is kept: reading it says so.
            if try kind(of: folder.joiningPath(name)) ?? .file == .file { result.append(name) }
        }
        return result
    }

    private static func names(in folder: String) throws(CommandError) -> [String] {
        do throws(SystemError) {
            return try System.names(inFolder: folder)
        } catch {
            throw .failure("cannot read \(folder): \(error.reason)")
        }
    }

    private static func kind(of path: String) throws(CommandError) -> System.FileKind? {
        do throws(SystemError) {
            return try System.kind(of: path)
        } catch {
            throw .failure("cannot read \(path): \(error.reason)")
        }
    }
}

extension String {
    /// `a/b` of `a/b//`; `/` stays.
    fileprivate var droppingSlashes: String {
        var result = self
        while result.count > 1, result.hasSuffix("/") { result.removeLast() }
        return result
    }

    fileprivate var lastPathComponent: String {
        split(separator: "/", omittingEmptySubsequences: true).last.map(String.init) ?? ""
    }

    /// This folder's entry of a name.
    func joiningPath(_ name: String) -> String { hasSuffix("/") ? self + name : self + "/" + name }
}
