// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLayers
import WirelineSchema

/// Vectors in files. `<case>.hex` contains a packet, and the file next to it the expected result.
///
///     Vectors/<case>.hex, .json             decoding and encoding
///     Vectors/DecodeOnly/<case>.hex, .json  decoding; encoding gives other bytes
///     Vectors/Invalid/<case>.hex, .txt      refused, with what `wire decode` says; .json: the same for programs
///     Vectors/Refused/<case>.json, .txt     a line that cannot be encoded, and what `wire encode` says
struct VectorFiles {
    let translator: PacketTranslator
    /// The states for vectors that name none.
    var states = PacketStates()
    /// The keys for vectors that name none.
    var keys: [LayerKey] = []

    /// The limit is above the size of any vector that a person reads.
    private static let maximumFileByteCount = 64 << 20
    private static let senderMark = "# from server"
    private static let stateMark = "# state "
    private static let keyMark = "# key "

    // MARK: Reading

    /// Returns the vectors of a file or folder, sorted by name. A folder also has those of its three subfolders.
    func vectors(at path: String) throws(CommandError) -> [ConformanceVector] {
        switch try kind(of: path) {
        case .folder?: return try vectors(inFolder: path)
        case .file?:
            let (folder, name) = Self.split(path)
            let inside = folder == "." ? System.absolutePath(of: folder) ?? folder : folder
            let kind = ConformanceVector.kind(inFolder: Self.split(inside).name)
            guard let stem = Self.stem(of: name, kind) else {
                throw .failure("\(path) is no vector", hint: "name its .hex file, or a folder of them")
            }
            return [try vector(kind, stem, in: folder)]
        case .other?: throw .failure("\(path) is neither a file nor a folder")
        case nil: throw .failure("there is no \(path)")
        }
    }

    private func vectors(inFolder path: String) throws(CommandError) -> [ConformanceVector] {
        let own = ConformanceVector.kind(inFolder: Self.split(System.absolutePath(of: path) ?? path).name)
        var result = try vectors(own, in: path)
        guard own == .exact else { return result }
        for kind in ConformanceVector.Kind.allCases where kind != .exact {
            let folder = path.joiningPath(kind.rawValue)
            if try self.kind(of: folder) == .folder { result += try vectors(kind, in: folder) }
        }
        return result
    }

    private func vectors(_ kind: ConformanceVector.Kind, in folder: String) throws(CommandError) -> [ConformanceVector]
    {
        let names: [String]
        do throws(SystemError) {
            names = try System.names(inFolder: folder)
        } catch {
            throw .failure("cannot read \(folder): \(error.reason)")
        }
        var result: [ConformanceVector] = []
        for name in names {
            if let stem = Self.stem(of: name, kind) {
                result.append(try vector(kind, stem, in: folder))
            } else if kind == .exact || kind == .decodeOnly, name.hasSuffix(".json") {
                let missing = name.dropLast(5) + ".hex"
                guard !names.contains(String(missing)) else { continue }
                throw .failure("\(folder.joiningPath(name)) has no \(missing) beside it")
            }
        }
        return result
    }

    private func vector(
        _ kind: ConformanceVector.Kind, _ stem: String, in folder: String
    ) throws(CommandError) -> ConformanceVector {
        let path = folder.joiningPath(stem)
        if kind == .refused {
            let line = try json(path + ".json")
            // This kind has no packet, but its `.hex` file can name the sender and the states.
            let marks = try text(ifAny: path + ".hex") ?? ""
            let sender = Self.hasSenderMark(marks) ? .server : sender(of: line)
            let context = PacketContext(from: sender, states: try states(in: marks, path))
            var vector = ConformanceVector(kind, stem, in: context, line: line)
            vector.keys = try keys(in: marks, path)
            vector.errorText = try text(ifAny: path + ".txt")
            return vector
        }
        let hexadecimal = try text(path + ".hex")
        let bytes: [UInt8]
        do throws(CodecError) {
            bytes = try Hexadecimal.bytes(of: hexadecimal)
        } catch {
            throw .failure("\(path).hex: \(error)")
        }
        let isFromServer = Self.hasSenderMark(hexadecimal)
        let states = try states(in: hexadecimal, path)
        var vector = ConformanceVector(kind, stem, in: PacketContext(from: .client, states: states), bytes: bytes)
        vector.keys = try keys(in: hexadecimal, path)
        if kind == .invalid {
            vector.errorText = try text(ifAny: path + ".txt")
            vector.refusal = try refusal(path + ".json")
            let keyed = (try? translator.withKeys(vector.keys)) ?? translator
            vector.context.sender = isFromServer ? .server : keyed.likelySender(of: bytes, states)
        } else {
            let line = try json(path + ".json")
            vector.line = line
            vector.context.sender = isFromServer ? .server : sender(of: line)
        }
        return vector
    }

    /// Reads the states from lines such as `# state started=1`.
    private func states(in text: String, _ path: String) throws(CommandError) -> PacketStates {
        let marks = text.split(whereSeparator: \.isNewline).filter { $0.hasPrefix(Self.stateMark) }
        guard !marks.isEmpty else { return states }
        do throws(StateTextError) {
            return try translator.description.states(
                settingAll: marks.map { String($0.dropFirst(Self.stateMark.count)) })
        } catch {
            throw .failure("\(path).hex: \(error)", hint: error.hint)
        }
    }

    /// Reads the keys from lines such as `# key session=00ff`.
    private func keys(in text: String, _ path: String) throws(CommandError) -> [LayerKey] {
        let marks = text.split(whereSeparator: \.isNewline).filter { $0.hasPrefix(Self.keyMark) }
        guard !marks.isEmpty else { return keys }
        var keys: [LayerKey] = []
        for mark in marks {
            let words = mark.dropFirst(Self.keyMark.count).split(separator: "=", maxSplits: 1)
            guard words.count == 2, let bytes = try? Hexadecimal.bytes(of: String(words[1])),
                let key = LayerKey(words[0], bytes)
            else { throw .failure("\(path).hex: a key is written as in `\(Self.keyMark)session=00ff`") }
            keys.append(key)
        }
        do throws(LayerKeyError) {
            _ = try translator.withKeys(keys)
        } catch {
            throw .failure("\(path).hex: \(error)")
        }
        return keys
    }

    private static func hasSenderMark(_ text: String) -> Bool {
        text.split(whereSeparator: \.isNewline).contains { $0 == senderMark }
    }

    /// Returns the sender if the files do not name it.
    private func sender(of line: JSONValue) -> Sender {
        guard case .string(let name)? = line["message"] else { return .client }
        let senders = translator.description.message(named: name)?.senders ?? [.client]
        return senders.contains(.client) ? .client : .server
    }

    private func refusal(_ path: String) throws(CommandError) -> Refusal? {
        guard try kind(of: path) != nil else { return nil }
        guard let refusal = Refusal(try json(path)) else {
            throw .failure(#"\#(path) is no error: {"error":"truncated","field":"Cs_20001.Line","offset":7}"#)
        }
        return refusal
    }

    private func json(_ path: String) throws(CommandError) -> JSONValue {
        let bytes = try contents(path)
        do throws(JSONError) {
            return try JSONValue(parsing: bytes, maximumDepth: translator.maximumJSONDepth)
        } catch {
            throw .failure("\(path): \(error)")
        }
    }

    private func text(ifAny path: String) throws(CommandError) -> String? {
        guard try kind(of: path) != nil else { return nil }
        return String(try text(path).drop { $0.isNewline }.reversed().drop { $0.isNewline }.reversed())
    }

    private func text(_ path: String) throws(CommandError) -> String {
        String(decoding: try contents(path), as: UTF8.self)
    }

    private func contents(_ path: String) throws(CommandError) -> [UInt8] {
        do throws(SystemError) {
            return try System.contents(ofFile: path, limit: Self.maximumFileByteCount)
        } catch {
            throw .failure("cannot read \(path): \(error.reason)")
        }
    }

    private func kind(of path: String) throws(CommandError) -> System.FileKind? {
        do throws(SystemError) {
            return try System.kind(of: path)
        } catch {
            throw .failure("cannot read \(path): \(error.reason)")
        }
    }

    /// Returns the file name without its extension; nil if the file does not define a vector of this kind.
    private static func stem(of name: String, _ kind: ConformanceVector.Kind) -> String? {
        let suffix = kind == .refused ? ".json" : ".hex"
        return name.hasSuffix(suffix) && name != suffix ? String(name.dropLast(suffix.count)) : nil
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
        let parts = path.split(separator: "/")
        guard let name = parts.last else { return (path, path) }
        guard parts.count > 1 else { return (path.hasPrefix("/") ? "/" : ".", String(name)) }
        return ((path.hasPrefix("/") ? "/" : "") + parts.dropLast().joined(separator: "/"), String(name))
    }

    // MARK: Writing

    /// Writes files that ``vectors(at:)`` can read.
    func write(_ vectors: [ConformanceVector], to folder: String) throws(CommandError) {
        do throws(SystemError) {
            for vector in vectors {
                let place = vector.kind == .exact ? folder : folder.joiningPath(vector.kind.rawValue)
                try System.makeFolder(place)
                for (suffix, text) in files(of: vector) {
                    try System.replaceFile(place.joiningPath(vector.caseName + suffix), with: Array(text.utf8))
                }
            }
        } catch {
            throw .failure("cannot write to \(folder): \(error.reason)")
        }
    }

    private func files(of vector: ConformanceVector) -> [(String, String)] {
        var files: [(String, String)] = []
        let states = vector.context.states
        let keyed = (try? translator.withKeys(vector.keys)) ?? translator
        let likely = vector.line.map(sender) ?? keyed.likelySender(of: vector.bytes, states)
        let stateMarks =
            translator.description.texts(of: states).map { Self.stateMark + $0 + "\n" }.joined()
            + vector.keys.map { Self.keyMark + $0.text + "=" + Hexadecimal.text(of: $0.bytes) + "\n" }.joined()
        let isPlain = likely == vector.sender
        if vector.kind == .refused {
            let senderMark = translator.description.layout.dependsOnSender && !isPlain ? Self.senderMark + "\n" : ""
            if !(senderMark + stateMarks).isEmpty { files.append((".hex", senderMark + stateMarks)) }
        } else {
            let mark = (isPlain ? "" : Self.senderMark + "\n") + stateMarks
            let digits = Hexadecimal.text(of: vector.bytes)
            files.append((".hex", mark + "# \(TextStyle.harmless(vector.note))\n\n" + Self.lines(of: digits)))
        }
        if let line = vector.line { files.append((".json", line.description + "\n")) }
        if let text = vector.errorText { files.append((".txt", text + "\n")) }
        if vector.kind == .invalid, let refusal = vector.refusal {
            files.append((".json", refusal.json.description + "\n"))
        }
        return files
    }

    /// Returns lines of 16 bytes each.
    private static func lines(of digits: String) -> String {
        var rest = digits[...]
        var result = ""
        while !rest.isEmpty {
            result += rest.prefix(32) + "\n"
            rest = rest.dropFirst(32)
        }
        return result
    }
}
