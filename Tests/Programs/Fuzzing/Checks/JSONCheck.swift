// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

/// JSON that is parsed is printed and parsed again as the same, in one printable line, and not more deeply than allowed; an
/// error stands inside the text.
///
/// The first byte is the depth that is allowed.
enum JSONCheck {
    static func check(_ bytes: [UInt8]) throws(Finding) {
        var input = Input(bytes)
        let maximumDepth = Int(input.byte())
        let text = Array(input.rest)
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: text, maximumDepth: maximumDepth)
        } catch {
            try require(0...text.count ~= error.offset, "\(error) in \(text.count) bytes")
            try require(!error.description.isEmpty, "an error without a text")
            return try verifyDepth(error, text)
        }
        try require(value.depth <= maximumDepth, "\(value.depth) deep where \(maximumDepth) is allowed")
        let printed = value.description
        try require(printed.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a control character in \(printed)")
        let again: JSONValue
        do throws(JSONError) {
            again = try JSONValue(parsing: printed, maximumDepth: value.depth)
        } catch {
            throw Finding("printed, but not parsed: \(error) in \(printed)")
        }
        try require(again == value && again.description == printed, "\(printed), parsed again \(again)")
    }

    /// What is refused for its depth only, is good with more of it; with as much as there are bytes nothing is too deep.
    private static func verifyDepth(_ error: JSONError, _ text: [UInt8]) throws(Finding) {
        guard case .tooDeep(let limit) = error.reason else { return }
        // Each level takes stack, and this program is built with large frames.
        guard text.count(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }) <= 300 else { return }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: text, maximumDepth: 300)
        } catch {
            // Something else was wrong after the place that was too deep.
            if case .tooDeep = error.reason { throw Finding("at most 300 brackets, but \(error)") }
            return
        }
        try require(value.depth > limit, "refused as deeper than \(limit), but is \(value.depth) deep")
    }
}

extension JSONValue {
    /// How deeply arrays and objects stand in one another.
    fileprivate var depth: Int {
        switch self {
        case .array(let items): 1 + (items.map(\.depth).max() ?? 0)
        case .object(let members): 1 + (members.map(\.value.depth).max() ?? 0)
        default: 0
        }
    }
}
