// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Lines are read as a plain model reads them, and what was read is written and read again as the same.
///
/// The first byte repeats the others, up to QSIOP's limit and past it.
enum PropertiesCheck {
    static func check(_ bytes: [UInt8]) throws(Finding) {
        var input = Input(bytes)
        let repeatCount = 1 + Int(input.byte() & 0x3F) * 4
        let lines = Array(repeatElement(input.rest, count: repeatCount).joined())
        let strict = parse(lines, isStrict: true)
        let lenient = parse(lines, isStrict: false)
        if let strict {
            try require(strict == lenient, "strictly \(strict), leniently \(String(describing: lenient))")
        }
        let model = Model(lines)
        for (isStrict, properties) in [(true, strict), (false, lenient)] {
            try require(
                model.entries(isStrict: isStrict) == properties.map(Model.entries),
                "strict: \(isStrict), \(String(describing: properties)) of \(Hexadecimal.text(of: lines))")
        }
        if let lenient { try verify(lenient, isStrict: strict != nil, from: lines) }
    }

    private static func parse(_ bytes: [UInt8], isStrict: Bool) -> Properties? {
        do throws(CodecError) {
            return try Properties(bytes.span.bytes, isStrict: isStrict)
        } catch {
            return nil
        }
    }

    private static func verify(_ properties: Properties, isStrict: Bool, from lines: [UInt8]) throws(Finding) {
        let byteCount: Int
        do throws(CodecError) {
            byteCount = try properties.byteCount()
        } catch {
            // Lines without a colon are written with one.
            guard !isStrict, case .tooLong = error.reason else { throw Finding("read, but not written: \(error)") }
            return
        }
        let written = [UInt8](byteCount: byteCount) { properties.write(to: &$0) }
        try require(parse(written, isStrict: true) == properties, "written, but not read the same: \(properties)")
        let isSame = !isStrict || written == lines || written + [UInt8(ascii: "\n")] == lines
        try require(isSame, "read strictly, but written as \(Hexadecimal.text(of: written))")
        for entry in properties.entries.prefix(8) {
            try require(properties[entry.key]?.utf8.elementsEqual(entry.value.utf8) ?? false, "no \(entry)")
        }
    }

    /// The format, as its documentation tells it.
    private struct Model {
        let lines: [ArraySlice<UInt8>]
        let isRefused: Bool

        init(_ bytes: [UInt8]) {
            var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            // A line feed ends the last line; without any bytes there is no line.
            if lines.last?.isEmpty ?? false { lines.removeLast() }
            self.lines = lines
            isRefused = bytes.count > 65_535 || lines.contains { String(validating: $0, as: UTF8.self) == nil }
        }

        /// Keys and values; nil where they are refused.
        func entries(isStrict: Bool) -> [[[UInt8]]]? {
            guard !isRefused else { return nil }
            var entries: [[[UInt8]]] = []
            var places: [[UInt8]: Int] = [:]
            for line in lines {
                let colon = line.firstIndex(of: UInt8(ascii: ":"))
                let key = Array(line[..<(colon ?? line.endIndex)])
                let value = colon.map { Array(line[($0 + 1)...]) } ?? []
                if isStrict, colon == nil || key.isEmpty || places[key] != nil { return nil }
                if key.isEmpty { continue }
                if let place = places[key] {
                    entries[place][1] = value
                } else {
                    places[key] = entries.count
                    entries.append([key, value])
                }
            }
            return entries
        }

        static func entries(of properties: Properties) -> [[[UInt8]]] {
            properties.entries.map { [Array($0.key.utf8), Array($0.value.utf8)] }
        }
    }
}
