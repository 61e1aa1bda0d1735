// SPDX-License-Identifier: Apache-2.0

/// The parsed value of `Sec-WebSocket-Extensions` (RFC 6455 §9.1).
///
///     permessage-deflate; client_max_window_bits; server_max_window_bits=10, other
struct ExtensionList {
    struct Element: Equatable {
        let name: String
        /// A parameter without a value has nil.
        var parameters: [Parameter] = []
    }

    struct Parameter: Equatable {
        let name: String
        let value: String?
    }

    let elements: [Element]

    /// - Returns: nil if a value is not an extension list.
    init?(_ values: [String]) {
        var elements: [Element] = []
        for value in values {
            var parser = Parser(rest: Array(value.utf8)[...])
            guard let list = parser.takeList() else { return nil }
            elements += list
        }
        self.elements = elements
    }

    private struct Parser {
        var rest: ArraySlice<UInt8>

        mutating func takeList() -> [Element]? {
            var elements: [Element] = []
            repeat {
                // Empty elements are allowed (RFC 9110 §5.6.1.2).
                skipSpaces()
                if rest.isEmpty || rest.first == UInt8(ascii: ",") { continue }
                guard let element = takeElement() else { return nil }
                elements.append(element)
            } while take(UInt8(ascii: ","))
            return rest.isEmpty ? elements : nil
        }

        private mutating func takeElement() -> Element? {
            guard let name = takeToken() else { return nil }
            var element = Element(name: name)
            while take(UInt8(ascii: ";")) {
                skipSpaces()
                guard let name = takeToken() else { return nil }
                var value: String?
                if take(UInt8(ascii: "=")) {
                    skipSpaces()
                    value = rest.first == UInt8(ascii: "\"") ? takeQuoted() : takeToken()
                    guard value != nil else { return nil }
                }
                element.parameters.append(Parameter(name: name, value: value))
            }
            return element
        }

        /// A quoted value must also be a token after unquoting (RFC 6455 §9.1).
        private mutating func takeQuoted() -> String? {
            rest.removeFirst()
            var text: [UInt8] = []
            while let byte = rest.popFirst() {
                switch byte {
                case UInt8(ascii: "\""):
                    let value = String(decoding: text, as: UTF8.self)
                    return value.isToken ? value : nil
                case UInt8(ascii: "\\"):
                    guard let escaped = rest.popFirst() else { return nil }
                    text.append(escaped)
                default: text.append(byte)
                }
            }
            return nil
        }

        private mutating func takeToken() -> String? {
            let token = rest.prefix(while: \.isTokenCharacter)
            rest = rest[token.endIndex...]
            return token.isEmpty ? nil : String(decoding: token, as: UTF8.self)
        }

        private mutating func take(_ byte: UInt8) -> Bool {
            skipSpaces()
            guard rest.first == byte else { return false }
            rest.removeFirst()
            return true
        }

        private mutating func skipSpaces() {
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
        }
    }
}
