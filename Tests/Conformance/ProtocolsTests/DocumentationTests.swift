// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolsSupport
import Testing
import TestingSupport
import WirelineCodec
import WirelineGenerator
import WirelineSchema

/// The pages of the protocols in this package, and their content.
struct DocumentationTests {
    static let names = (ProtocolFolder.all + [.features, .names]).map(\.name)

    /// A parsed page.
    private struct Page: Sendable {
        let folder: ProtocolFolder
        let structure: PageStructure
        let markdown: String

        init(_ name: String) throws {
            folder = try name == ProtocolFolder.names.name ? .names : .named(name)
            let description = folder.translator.description
            structure = try PageStructure(HTMLGenerator(description).files()[0].text)
            markdown = MarkdownGenerator(description).files()[0].text
        }
    }

    /// Made once, for all tests.
    private static let pages = Result {
        try Dictionary(uniqueKeysWithValues: names.map { ($0, try Page($0)) })
    }

    private static func page(_ name: String) throws -> Page { try #require(try pages.get()[name]) }

    /// The example of a message.
    private struct Example: Equatable {
        let message: String
        let json: String
        let digits: String
    }

    private static func examples(in structure: PageStructure) throws -> [Example] {
        var examples: [Example] = []
        var (message, json) = ("", "")
        for element in structure.elements {
            let anchor = element.attributes["id"] ?? ""
            switch (element.name, element.attributes["class"]) {
            case ("article", _): message = String(anchor.dropFirst("message-".count))
            case ("pre", "json"): json = element.text
            case ("pre", "digits"):
                examples.append(Example(message: message, json: json, digits: element.text))
            default: break
            }
        }
        return examples
    }

    private static func examples(in markdown: String) throws -> [Example] {
        let pattern =
            /### `(\w+)`\n|\nExample as JSON:\n\n```json\n([^`]+)\n```\n\n[^\n]+:\n\n```text\n([^`]+)\n```/
        var message = ""
        return markdown.matches(of: pattern).compactMap { match in
            if let name = match.1 { message = String(name) }
            guard let json = match.2, let digits = match.3 else { return nil }
            return Example(message: message, json: String(json), digits: String(digits))
        }
    }

    @Test(arguments: names)
    func `every message has an example, and it is the same in both formats`(_ name: String) throws {
        let page = try Self.page(name)
        let (html, markdown) = try (Self.examples(in: page.structure), Self.examples(in: page.markdown))
        let messages = page.folder.translator.description.messages.map(\.name)
        #expect(html.map(\.message).sorted() == messages.sorted())
        #expect(html == markdown)
    }

    @Test(arguments: names)
    func `an example's JSON encodes to its bytes, and the bytes decode to the JSON`(_ name: String) throws {
        let page = try Self.page(name)
        let translator = page.folder.translator
        for example in try Self.examples(in: page.structure) {
            let message = try #require(translator.description.message(named: example.message))
            let description = translator.description
            let position = try #require(description.messages.firstIndex { $0.name == message.name })
            let context = try #require(description.contexts(ofExamplesOf: position).first)
            let packet = try translator.encode(
                message: example.message, parsing: Array(example.json.utf8), from: context.sender,
                states: context.states)
            #expect(Hexadecimal.text(of: packet) == example.digits)
            let content = try description.layout.unframed(packet)
            let bytes = try Packet(
                content.rawSpan, layout: description.layout.layout(in: context),
                limit: description.options.maximumPacketByteCount)
            let line = try #require(try translator.decode(bytes, asMessage: example.message))
            #expect(try line["fields"] == JSONValue(parsing: Array(example.json.utf8)))
        }
    }

    @Test(arguments: names)
    func `every link leads to one place, and every section has a heading`(_ name: String) throws {
        let structure = try Self.page(name).structure
        let anchors = structure.elements.compactMap { $0.attributes["id"] }
        #expect(Set(anchors).count == anchors.count)
        let targets = structure.elements("a").compactMap { $0.attributes["href"] }
        #expect(targets.allSatisfy { $0.hasPrefix("#") } && !targets.isEmpty)
        #expect(Set(targets.map { String($0.dropFirst()) }).subtracting(anchors) == [])
        let levels = structure.elements.compactMap { element in
            element.name.wholeMatch(of: /h([1-6])/).flatMap { Int($0.1) }
        }
        #expect(levels.first == 1 && zip(levels, levels.dropFirst()).allSatisfy { $1 <= $0 + 1 && $1 > 1 })
        let description = try Self.page(name).folder.translator.description
        let titles = structure.elements("h3").map(\.wholeText)
        let declared =
            ["Packet layout"] + description.messages.map(\.name) + description.structures.map(\.name)
            + description.unions.map(\.name)
            + description.enumerations.map(\.name) + description.flagSets.map(\.name)
        #expect(titles.sorted() == declared.sorted())
    }

    @Test(arguments: names)
    func `a page loads no other files`(_ name: String) throws {
        let structure = try Self.page(name).structure
        let loading = structure.elements.filter { element in
            element.attributes["src"] != nil || element.name == "link" && element.attributes["href"] != "data:,"
        }
        #expect(loading == [])
        let style = structure.elements("style").map(\.text).joined()
        #expect(!style.contains("url(") && !style.contains("@import"))
    }

    @Test(arguments: names)
    func `links in Markdown lead to anchors, and all rows of a table have equally many cells`(_ name: String) throws {
        let markdown = try Self.page(name).markdown
        let anchors = markdown.matches(of: /<a id="([^"]+)"><\/a>/).map { String($0.1) }
        #expect(Set(anchors).count == anchors.count)
        let targets = markdown.matches(of: /\]\(#([^)]+)\)/).map { String($0.1) }
        #expect(Set(targets).subtracting(anchors) == [] && !targets.isEmpty)
        let pieces = markdown.components(separatedBy: "```").enumerated().filter { $0.offset.isMultiple(of: 2) }
        for table in pieces.flatMap({ $0.element.components(separatedBy: "\n\n") }) where table.hasPrefix("| ") {
            let rows = table.split(separator: "\n").map { $0.replacing("\\|", with: "") }
            #expect(Set(rows.map { row in row.count { $0 == "|" } }).count == 1, "\(table)")
        }
    }
}

extension ProtocolDescription {
    /// Whether an example of these fields has sensitive values.
    fileprivate func hasSensitiveValues(_ fields: [FieldDescription]) -> Bool {
        fields.contains { $0.isSensitive || hasSensitiveValues($0.type) }
    }

    private func hasSensitiveValues(_ type: TypeDescription) -> Bool {
        switch type {
        case .structure(let index): structures[index].fields.contains(where: \.isSensitive)
        case .union(let index): unions[index].arms.contains { $0.field?.isSensitive == true }
        case .list(let element, _), .fixedList(let element, _): hasSensitiveValues(element)
        default: false
        }
    }
}
