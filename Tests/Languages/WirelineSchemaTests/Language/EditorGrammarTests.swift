// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineSchema

/// Compares the TextMate grammar for editors with the words of the language. Its patterns are so simple that Foundation
/// and editors read them in the same way.
struct EditorGrammarTests {
    private static let file = Checkout.url("Sources/Languages/WirelineLanguage/Editor/wire.tmLanguage.json")

    /// The expressions of a scope, in the order of the file's rules.
    private func expressions(_ scope: String) throws -> [NSRegularExpression] {
        let object = try JSONSerialization.jsonObject(with: Data(contentsOf: Self.file))
        var found: [String] = []
        collect(object, scope, &found)
        return try found.map { try NSRegularExpression(pattern: $0, options: .anchorsMatchLines) }
    }

    private func collect(_ value: Any, _ scope: String, _ found: inout [String]) {
        if let list = value as? [Any] { for item in list { collect(item, scope, &found) } }
        guard let rule = value as? [String: Any] else { return }
        let captures = (rule["captures"] ?? rule["beginCaptures"]) as? [String: [String: String]] ?? [:]
        if rule["name"] as? String == scope || captures.values.contains(where: { $0["name"] == scope }) {
            found += [rule["match"], rule["begin"]].compactMap { $0 as? String }
        }
        for (_, item) in rule { collect(item, scope, &found) }
    }

    /// Whether a rule of the scope matches the word in the text.
    private func takes(_ scope: String, _ word: String, in text: String) throws -> Bool {
        let wanted = (text as NSString).range(of: word)
        return try expressions(scope).contains { expression in
            expression.matches(in: text, range: NSRange(location: 0, length: text.utf16.count)).contains { match in
                (0..<match.numberOfRanges).contains { match.range(at: $0) == wanted }
            }
        }
    }

    @Test(arguments: LanguageWords.types)
    func `each type is highlighted as a type`(_ word: String) throws {
        #expect(try takes("support.type.wire", word, in: "    \(word) name = 1;"))
        #expect(try !takes("support.type.wire", word, in: "    \(word)x name;"))
    }

    @Test(arguments: LanguageWords.attributes)
    func `each attribute is highlighted as an attribute`(_ word: String) throws {
        #expect(try takes("entity.other.attribute-name.wire", "@" + word, in: "    @\(word) uint8 a;"))
        #expect(try takes("entity.other.attribute-name.wire", "@" + word, in: "    @\(word)(1) uint8 a;"))
        #expect(try !takes("entity.other.attribute-name.wire", "@" + word, in: "    @\(word)x uint8 a;"))
    }

    @Test func `state is highlighted as a keyword before a type, and as a name elsewhere`() throws {
        #expect(try takes("keyword.other.wire", "state", in: "    state bit started;"))
        #expect(try takes("keyword.other.wire", "state", in: "    state  Phase phase; // how far"))
        #expect(try !takes("keyword.other.wire", "state", in: "    uint8 state;"))
    }

    @Test func `frame is highlighted as a keyword before a mark, and as a name elsewhere`() throws {
        #expect(try takes("keyword.other.wire", "frame", in: "    frame 0x7E..0x7E {"))
        #expect(try takes("keyword.other.wire", "frame", in: "    frame '['..']' {"))
        #expect(try !takes("keyword.other.wire", "frame", in: "    frame frame;"))
    }

    @Test func `the bar between replies is highlighted as an operator`() throws {
        #expect(try takes("keyword.operator.alternative.wire", "|", in: "@reply(Welcome | Failure)"))
    }

    @Test func `each keyword is highlighted before the name that it declares`() throws {
        let examples = [
            "message": "message Cs_1{", "struct": "struct S sized(uint8) {", "enum": "@closed enum E : uint8 {",
            "flags": "flags F:uint8 {", "const": "const uint8 seats = 4;", "reserved": "reserved 1, 3 to 5;",
            "option": "option byte_order = big;", "packet": "packet {", "union": "union U : uint8 sized(varint) {",
        ]
        #expect(examples.keys.sorted() == LanguageWords.keywords.sorted())
        for (word, text) in examples { #expect(try takes("keyword.declaration.wire", word, in: text), "\(text)") }
    }

    @Test(arguments: LanguageWords.keywords + ["payload", "optional", "repeated", "sized", "to"])
    func `a word of the language is highlighted as a name if it names a field`(_ word: String) throws {
        #expect(try takes("variable.other.member.wire", word, in: "    uint8 \(word) = 1;"))
        #expect(try !takes("keyword.declaration.wire", word, in: "    uint8 \(word) = 1;"))
        #expect(try !takes("storage.modifier.wire", word, in: "    uint8 \(word);"))
    }

    @Test func `comments, strings and numbers are highlighted`() throws {
        #expect(try takes("comment.line.double-slash.wire", "// a /* b", in: "uint8 a; // a /* b"))
        #expect(try takes("comment.block.wire", "/*", in: "uint8 a; /* b */"))
        #expect(try takes("string.quoted.double.wire", "\"", in: "@deprecated(\"why"))
        #expect(try takes("constant.character.wire", "'Q'", in: "@id('Q')"))
        #expect(try takes("constant.character.escape.wire", #"\""#, in: #"a\"b"#))
        for number in ["0", "20001", "0x1F", "1.5", "1e9"] {
            #expect(try takes("constant.numeric.wire", number, in: "@range(\(number)..100) uint8 a;"), "\(number)")
        }
        #expect(try takes("storage.modifier.wire", "optional", in: "    optional repeated uint8 a;"))
        #expect(try takes("storage.modifier.wire", "sized", in: "struct S sized(uint8) {"))
    }
}
