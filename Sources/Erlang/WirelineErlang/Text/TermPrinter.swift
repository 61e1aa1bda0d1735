// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension ErlangTerm: CustomStringConvertible {
    /// The term in Erlang's own syntax, on one line, as `io_lib:format("~0tp")` writes it.
    ///
    /// Lists of printable characters are strings, and so are binaries of printable UTF-8. ``init(parsing:limits:)``
    /// reads the text back as the same term, except a closure. A process is `#Pid<NODE.ID.SERIAL.CREATION>`: the numbers
    /// that Erlang shows have a meaning only inside one node. All characters that a terminal would obey are escaped.
    public var description: String {
        var printer = TermPrinter()
        printer.add(self)
        return printer.text
    }
}

private struct TermPrinter {
    private(set) var text = ""

    mutating func add(_ term: ErlangTerm) {
        switch term {
        case .atom(let atom): add(atom)
        case .integer(let value): text += String(value)
        case .bigInteger(let value): text += value.description
        case .float(let value): text += Self.text(of: value)
        case .binary(let bytes): addBinary(bytes)
        case .bits(let bits):
            let last = bits.bytes[bits.bytes.count - 1] >> UInt8(8 - bits.lastBitCount)
            let whole = bits.bytes.dropLast().map { "\($0)," }.joined()
            text += "<<\(whole)\(last):\(bits.lastBitCount)>>"
        case .list(let elements):
            if let string = PrintableText.string(of: elements) {
                text += PrintableText.quoted(string, "\"")
            } else {
                addElements(elements, "[", "]")
            }
        case .improperList(let list):
            addElements(list.elements, "[", "|")
            add(list.tail)
            text += "]"
        case .tuple(let elements): addElements(elements, "{", "}")
        case .map(let map): addMap(map)
        case .pid(let pid): addIdentifier("Pid", pid.node, [pid.id, pid.serial, pid.creation].map(UInt64.init))
        case .port(let port): addIdentifier("Port", port.node, [port.id, UInt64(port.creation)])
        case .reference(let reference):
            addIdentifier("Ref", reference.node, ([reference.creation] + reference.words).map(UInt64.init))
        case .function(let function): add(function)
        }
    }

    private mutating func add(_ atom: ErlangAtom) {
        text += PrintableText.needsQuotes(atom) ? PrintableText.quoted(atom.name, "'") : atom.name
    }

    private mutating func addElements(_ elements: [ErlangTerm], _ start: String, _ end: String) {
        text += start
        for (index, element) in elements.enumerated() {
            if index > 0 { text += "," }
            add(element)
        }
        text += end
    }

    private mutating func addMap(_ map: ErlangMap) {
        text += "#{"
        for (index, pair) in map.pairs.enumerated() {
            if index > 0 { text += "," }
            add(pair.key)
            text += " => "
            add(pair.value)
        }
        text += "}"
    }

    private mutating func addBinary(_ bytes: [UInt8]) {
        if !bytes.isEmpty, let string = String(validating: bytes.rawSpan),
            string.unicodeScalars.allSatisfy(\.isPrintable)
        {
            let isASCII = bytes.allSatisfy { $0 < 0x80 }
            text += "<<\(PrintableText.quoted(string, "\""))\(isASCII ? "" : "/utf8")>>"
        } else {
            text += "<<\(bytes.map { String($0) }.joined(separator: ","))>>"
        }
    }

    private mutating func addIdentifier(_ kind: String, _ node: ErlangAtom, _ numbers: [UInt64]) {
        text += "#\(kind)<"
        add(node)
        text += numbers.map { ".\($0)" }.joined() + ">"
    }

    private mutating func add(_ function: ErlangFunction) {
        switch function {
        case .exported(let module, let name, let arity):
            text += "fun "
            add(module)
            text += ":"
            add(name)
            text += "/\(arity)"
        case .closure(let closure):
            text += "#Fun<"
            add(closure.module)
            text += ".\(closure.index).\(closure.oldUniqueness)>"
        }
    }

    /// The shortest text that reads back as this number. It has a point, because Erlang requires one.
    private static func text(of value: Double) -> String {
        let text = value.description
        guard let exponent = text.firstIndex(of: "e") else { return text }
        let mantissa = text[..<exponent]
        let number = Int(text[text.index(after: exponent)...]) ?? 0
        return "\(mantissa)\(mantissa.contains(".") ? "" : ".0")e\(number)"
    }
}

/// Which text Erlang accepts between quotes, and shows as it is.
enum PrintableText {
    /// Words of the language, which are atoms only in quotes. The printer also quotes `else` and `maybe`, new in OTP
    /// 27.
    static let reservedWords: Set<String> = [
        "after", "and", "andalso", "band", "begin", "bnot", "bor", "bsl", "bsr", "bxor", "case", "catch", "cond", "div",
        "end", "fun", "if", "let", "not", "of", "or", "orelse", "receive", "rem", "try", "when", "xor",
    ]

    static func needsQuotes(_ atom: ErlangAtom) -> Bool {
        let name = atom.name.utf8
        guard let first = name.first, first.isSmallLetter, name.allSatisfy(\.isNameByte) else { return true }
        return reservedWords.contains(atom.name) || ["else", "maybe"].contains(atom.name)
    }

    /// The list as a string; nil if it is empty or contains anything but printable characters.
    static func string(of elements: [ErlangTerm]) -> String? {
        guard !elements.isEmpty else { return nil }
        var string = String.UnicodeScalarView()
        for element in elements {
            guard case .integer(let value) = element, let number = UInt32(exactly: value),
                let scalar = Unicode.Scalar(number), scalar.isPrintable
            else { return nil }
            string.append(scalar)
        }
        return String(string)
    }

    static func quoted(_ text: String, _ quote: Unicode.Scalar) -> String {
        var result = String.UnicodeScalarView([quote])
        for scalar in text.unicodeScalars {
            if scalar == quote || scalar == "\\" {
                result += ["\\", scalar]
            } else if let letter = scalar.escapeLetter {
                result += ["\\", letter]
            } else if scalar.isUnsafeToShow || scalar.isRefusedByErlang {
                result += "\\x{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars
            } else {
                result.append(scalar)
            }
        }
        result.append(quote)
        return String(result)
    }
}

extension Unicode.Scalar {
    /// Whether a string may contain the character. Otherwise the text is written as numbers.
    fileprivate var isPrintable: Bool { escapeLetter != nil || !isUnsafeToShow && !isRefusedByErlang }

    /// Erlang refuses these two characters in every quoted text, even as escapes. We read them.
    fileprivate var isRefusedByErlang: Bool { value == 0xFFFE || value == 0xFFFF }

    fileprivate var escapeLetter: Unicode.Scalar? {
        switch value {
        case 8: "b"
        case 9: "t"
        case 10: "n"
        case 11: "v"
        case 12: "f"
        case 13: "r"
        case 27: "e"
        default: nil
        }
    }
}

extension UInt8 {
    var isSmallLetter: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self }
    var isCapitalLetter: Bool { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self }
    var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }

    /// Whether an atom without quotes may contain this byte.
    var isNameByte: Bool {
        isSmallLetter || isCapitalLetter || isDigit || self == UInt8(ascii: "_") || self == UInt8(ascii: "@")
    }
}
