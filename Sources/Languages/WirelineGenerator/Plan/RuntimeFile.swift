// SPDX-License-Identifier: Apache-2.0

import CWirelineRuntimes

/// A runtime in a source file of its language, for that language's tools: `Runtimes/Java/Runtime.java`.
///
/// Comments mark its regions:
///
///     // #region reader
///     static final class Reader {
///         // #region layers
///         int limit = MAXIMUM_SIZE;
///         // #endregion
///         // #region called
///         byte u8(int q) { return b[q]; }
///         // #endregion
///     }
///     // #endregion
///
/// A generator asks for a region by name. A nested region is a feature, kept if the protocol has it; with `!` before
/// the name, kept if the protocol lacks it. The caller replaces the region `called`, usually by the pieces that code
/// calls.
///
/// Code that cannot coexist with a feature's code, such as another head of one function, is in comments with a bar:
///
///     # #region !layers
///     #| def open(packet: bytes) -> bytes:
///     # #endregion
///
/// Formatters of some languages move comments to the right. Two bars put a line into the first column.
///
/// The region `each` is repeated for each row of constants.
///
/// In languages with such comments, regions may also be inside a line: the text for a feature, or the text without it.
///
///     /*layers{*/async /*}*/function write() {
///     const known = /*layers{*/first(packet)/*}*//*!layers{packet.message}*/;
///
/// - Invariant: Each region ends. Tests request all of them.
package struct RuntimeFile: Sendable {
    private enum Part: Sendable {
        case line(Substring)
        /// A line that may contain regions or constants.
        case variable(Substring)
        case region(Region)
    }

    private struct Region: Sendable {
        let name: Substring
        let indentation: Substring
        /// The start of a comment that holds replacement code.
        let mark: Substring
        var parts: [Part] = []
    }

    private var regions: [Substring: Region] = [:]
    private var features: Set<String> = []
    private var constants: [String: String] = [:]
    private var rows: [[String: String]] = []

    // SAFETY: What the functions return are constants of the program.
    static let java = unsafe RuntimeFile(wireline_java_runtime())
    static let cSharp = unsafe RuntimeFile(wireline_csharp_runtime())
    static let go = unsafe RuntimeFile(wireline_go_runtime())
    static let cpp = unsafe RuntimeFile(wireline_cpp_runtime())
    static let rust = unsafe RuntimeFile(wireline_rust_runtime())
    static let erlang = unsafe RuntimeFile(wireline_erlang_runtime())
    static let lua = unsafe RuntimeFile(wireline_lua_runtime())
    static let python = unsafe RuntimeFile(wireline_python_runtime())
    static let typeScript = unsafe RuntimeFile(wireline_typescript_runtime())
    static let wireshark = unsafe RuntimeFile(wireline_wireshark_runtime())
    static let javaAdapter = unsafe RuntimeFile(wireline_java_adapter())
    static let cSharpAdapter = unsafe RuntimeFile(wireline_csharp_adapter())
    static let cppAdapter = unsafe RuntimeFile(wireline_cpp_adapter())
    static let erlangAdapter = unsafe RuntimeFile(wireline_erlang_adapter())
    static let luaAdapter = unsafe RuntimeFile(wireline_lua_adapter())
    static let pythonAdapter = unsafe RuntimeFile(wireline_python_adapter())
    static let typeScriptAdapter = unsafe RuntimeFile(wireline_typescript_adapter())
    static let goAdapter = unsafe RuntimeFile(wireline_go_adapter())
    static let rustAdapter = unsafe RuntimeFile(wireline_rust_adapter())
    static let pageTool = unsafe RuntimeFile(wireline_page_tool())
    static let pageSearch = unsafe RuntimeFile(wireline_page_search())
    static let pageStyle = unsafe RuntimeFile(wireline_page_style())

    private init(_ file: wireline_file) {
        // SAFETY: The file has that many bytes.
        let bytes = unsafe UnsafeBufferPointer(start: file.bytes, count: file.count)
        self.init(unsafe String(decoding: bytes, as: UTF8.self))
    }

    package init(_ text: String) {
        var open = [Region(name: "", indentation: "", mark: "//|")]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let words = line.split(whereSeparator: Self.isIndentation)
            let indentation = line.prefix(while: Self.isIndentation)
            if words.count >= 3, words[1] == "#region" {
                open.append(Region(name: words[2], indentation: indentation, mark: words[0] + "|"))
            } else if words.count >= 2, words[1] == "#endregion" {
                let region = open.removeLast()
                regions[region.name] = region
                open[open.count - 1].parts.append(.region(region))
            } else {
                let mark = open[open.count - 1].mark
                let code = line.dropFirst(indentation.count)
                let part =
                    code.hasPrefix(mark + "|")
                    ? code.dropFirst(mark.count + 2)
                    : code.hasPrefix(mark) ? indentation + code.dropFirst(mark.count + 1) : line
                open[open.count - 1].parts.append(Self.part(part))
            }
        }
        precondition(open.count == 1, "the region \(open.last?.name ?? "") does not end")
    }

    /// The file with all features, as the language's tools see it, without replacement code.
    var withAllFeatures: Self { with(Set(regions.keys.map(String.init))) }

    private static func isIndentation(_ character: Character) -> Bool { character == " " || character == "\t" }

    /// The comments that can hold regions inside a line.
    private static let comments = [(start: "/*", end: "*/"), (start: "--[[", end: "]]")]

    private static func part(_ line: Substring) -> Part {
        mayVary(line) || line.contains("Limits.") ? .variable(line) : .line(line)
    }

    /// Whether a line contains the end of an inline region, or a name in capitals with an underscore.
    private static func mayVary(_ line: Substring) -> Bool {
        var previous: UInt8 = 0
        for byte in line.utf8 {
            switch byte {
            case UInt8(ascii: "*"), UInt8(ascii: "]"): if previous == UInt8(ascii: "}") { return true }
            case UInt8(ascii: "_"): if (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(previous) { return true }
            default: break
            }
            previous = byte
        }
        return false
    }

    /// Returns the file for one protocol.
    ///
    /// - Parameters:
    ///   - features: The names of the nested regions to keep.
    ///   - constants: The replacements of names (default: none).
    ///   - rows: The additional replacements in each repetition of the region `each` (default: the region is left out).
    package func with(
        _ features: Set<String>, _ constants: [String: String] = [:], each rows: [[String: String]] = []
    ) -> Self {
        var file = self
        file.features = features
        file.constants = constants
        file.rows = rows
        return file
    }

    /// Returns the text of a region. It begins in the first column and does not end with a newline.
    ///
    /// - Parameter choice: Returns the replacement of the region `called` (default: the region itself).
    package func text(_ name: String, called choice: (String) -> String = { $0 }) -> String {
        guard let region = regions[name[...]] else { preconditionFailure("no region is called \(name)") }
        return text(of: region, choice)
    }

    /// Returns the names that regions declare at file level, after one of the words `kinds`, such as `class`.
    func names(after kinds: Set<Substring>, in regions: [String]) -> Set<String> {
        let lines = regions.flatMap { text($0).split(separator: "\n") }.filter { $0.first?.isLetter == true }
        return Set(lines.compactMap { RuntimeText.declaredName($0, after: kinds) })
    }

    private func text(of region: Region, _ choice: (String) -> String) -> String {
        let lines = lines(of: region.parts, choice).map { String($0.dropFirst(region.indentation.count)) }
        let count = lines.lastIndex { !$0.isEmpty }.map { $0 + 1 } ?? 0
        return lines[..<count].joined(separator: "\n")
    }

    private func lines(of parts: [Part], _ choice: (String) -> String) -> [String] {
        parts.flatMap { part -> [String] in
            switch part {
            case .line(let line): [String(line)]
            case .variable(let line): [settled(line)]
            case .region(let region) where region.name == "called":
                choice(text(of: region, choice)).split(separator: "\n", omittingEmptySubsequences: false)
                    .map { $0.isEmpty ? "" : String(region.indentation) + $0 }
            case .region(let region) where region.name == "each":
                rows.flatMap { row in lines(of: region.parts, choice).map { Self.replacing(row, in: $0) } }
            case .region(let region): has(region.name) ? lines(of: region.parts, choice) : []
            }
        }
    }

    private func settled(_ line: Substring) -> String {
        let text = Self.comments.reduce(String(line)) { cut($0, $1.start, $1.end) }
        return Self.replacing(constants, in: text)
    }

    /// Replaces names; of two that begin at the same place, the longer one. Replacements are not searched again: they
    /// may be text of a schema.
    private static func replacing(_ constants: [String: String], in line: String) -> String {
        var (result, rest) = ("", line[...])
        while true {
            let found = constants.compactMap { name, value in rest.firstRange(of: name).map { ($0, value) } }
            let first = found.min {
                ($0.0.lowerBound, $1.0.upperBound) < ($1.0.lowerBound, $0.0.upperBound)
            }
            guard let (range, value) = first else { return result + rest }
            result += rest[..<range.lowerBound] + value
            rest = rest[range.upperBound...]
        }
    }

    private func cut(_ line: String, _ opening: String, _ closing: String) -> String {
        var (result, rest) = ("", line[...])
        while let start = rest.firstRange(of: opening) {
            let inside = rest[start.upperBound...]
            // In Rust, `/*!` begins documentation.
            let name = inside.drop { $0 == " " }.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "!" }
            guard inside[name.endIndex...].first == "{", let end = inside.firstRange(of: "}" + closing) else {
                result += rest[..<start.upperBound]
                rest = inside
                continue
            }
            let text = inside[name.endIndex..<end.lowerBound].dropFirst()
            result += rest[..<start.lowerBound]
            // Outside comments, the text is between the ends of two comments.
            if has(name) {
                result += name.hasPrefix("!") ? text : text.dropFirst(closing.count).dropLast(opening.count)
            }
            rest = rest[end.upperBound...]
        }
        return result + rest
    }

    private func has(_ feature: Substring) -> Bool {
        feature.hasPrefix("!") ? !features.contains(String(feature.dropFirst())) : features.contains(String(feature))
    }
}
