// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

/// A folder of `.wire` files: the named one, or the only one under `Protocols/`.
struct ProtocolFolder: Equatable {
    /// The path, without slashes at the end.
    let path: String

    /// The folder in which the protocols have their folders.
    static let home = "Protocols"
    /// The limit is above the size of any schema. It keeps a device or a wrong file from filling the memory.
    static let maximumFileByteCount = 64 << 20

    /// Without a name, it is the only folder under `Protocols/`.
    ///
    /// - Parameter name: A path, or the name of a folder under `Protocols/`.
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
                throw .failure("there is no folder \(name)", hint: Spelling.help(for: name, among: known))
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

    /// Returns the names of the folders under `Protocols/`; none if it cannot be read.
    static func namesInHome() -> [String] { (try? candidates(in: home)) ?? [] }

    /// The protocol's name, which is the name of the folder.
    var name: String {
        let last = path.lastPathComponent
        guard last == "." || last == ".." || last.isEmpty else { return last }
        return System.absolutePath(of: path)?.lastPathComponent ?? last
    }

    /// Returns the names in byte order.
    func fileNames() throws(CommandError) -> [String] {
        let names = try Self.wireFiles(in: path)
        guard names.isEmpty else { return names }
        let inside = ((try? Self.candidates(in: path)) ?? []).map { path.joiningPath($0) }
        throw .failure("there is no .wire file in \(path)", hint: Self.choice(of: inside))
    }

    /// Returns the paths in byte order.
    func filePaths() throws(CommandError) -> [String] {
        try fileNames().map { path == "." ? $0 : path.joiningPath($0) }
    }

    /// Returns a hint that names the folders of protocols inside this one. Each protocol has its own folder.
    private static func choice(of folders: [String]) -> String? {
        guard let first = folders.first else { return nil }
        guard folders.count > 1 else { return "did you mean `\(first)`?" }
        return "did you mean one of its folders: " + folders.prefix(8).joined(separator: ", ")
            + (folders.count > 8 ? ", …" : "")
    }

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

    func check() throws(CommandError) -> CheckResult {
        ProtocolDescription.check(name: name, files: try files())
    }

    /// Returns the protocol, or throws if it has errors. Warnings are not printed; `wire check` prints them.
    func describe(_ console: Console) throws(CommandError) -> ProtocolDescription {
        let result = try check()
        if let description = result.description { return description }
        DiagnosticText(style: TextStyle(of: System.Descriptor.standardError)).report(result, console)
        throw .failure("\(path) is not a protocol that can be used")
    }

    // MARK: Finding files

    /// Returns the folders in `home` that contain a `.wire` file.
    private static func candidates(in home: String) throws(CommandError) -> [String] {
        guard try kind(of: home) == .folder else { return [] }
        return try names(in: home).filter { mayBeProtocol(home + "/" + $0) }
    }

    /// Whether a folder can be a protocol. One that cannot be read can be, so another one is not chosen silently.
    private static func mayBeProtocol(_ path: String) -> Bool {
        (try? kind(of: path)) == .folder && (try? wireFiles(in: path).isEmpty) != true
    }

    /// Returns the `.wire` files of a folder. Folders with such names are left out.
    static func wireFiles(in folder: String) throws(CommandError) -> [String] {
        var result: [String] = []
        for name in try names(in: folder) where name.hasSuffix(".wire") {
            // A broken link is included. Reading it reports the error.
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
    /// The path without slashes at the end: `a/b` for `a/b//`. The path `/` does not change.
    fileprivate var droppingSlashes: String {
        var result = self
        while result.count > 1, result.hasSuffix("/") { result.removeLast() }
        return result
    }

    fileprivate var lastPathComponent: String {
        split(separator: "/", omittingEmptySubsequences: true).last.map(String.init) ?? ""
    }

    func joiningPath(_ name: String) -> String { hasSuffix("/") ? self + name : self + "/" + name }
}
