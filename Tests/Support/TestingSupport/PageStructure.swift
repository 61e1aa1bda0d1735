// SPDX-License-Identifier: Apache-2.0

internal import Foundation

#if canImport(FoundationXML)
    internal import FoundationXML
#endif

/// A parsed page of HTML that is well-formed XML.
public struct PageStructure: Sendable {
    /// Its elements in the order of their starts, with their attributes.
    public private(set) var elements: [Element] = []

    /// One element.
    public struct Element: Equatable, Sendable {
        public let name: String
        public let attributes: [String: String]
        /// The text in it, without the text of its inner elements.
        public fileprivate(set) var text = ""
        /// All text in it.
        public fileprivate(set) var wholeText = ""

        /// Whether it is this element, whatever its text.
        public func isLike(_ other: Element) -> Bool { name == other.name && attributes == other.attributes }
    }

    /// Parses a page; a page that is not well-formed is an error that names the line.
    public init(_ page: String) throws {
        let parser = XMLParser(data: Data(page.utf8))
        let reader = Reader()
        parser.delegate = reader
        guard parser.parse() else {
            throw Failure(line: parser.lineNumber, reason: parser.parserError.map { "\($0)" } ?? "unknown")
        }
        elements = reader.elements
    }

    /// The elements of a name and, if one is given, a class.
    public func elements(_ name: String, class wanted: String? = nil) -> [Element] {
        elements.filter { element in
            let classes = (element.attributes["class"] ?? "").split(separator: " ").map(String.init)
            return element.name == name && wanted.map(classes.contains) != false
        }
    }

    private struct Failure: Error, CustomStringConvertible {
        let line: Int
        let reason: String

        var description: String { "not well-formed at line \(line): \(reason)" }
    }

    private final class Reader: NSObject, XMLParserDelegate {
        var elements: [Element] = []
        private var open: [Int] = []

        func parser(
            _: XMLParser, didStartElement name: String, namespaceURI _: String?, qualifiedName _: String?,
            attributes: [String: String]
        ) {
            open.append(elements.count)
            elements.append(Element(name: name, attributes: attributes))
        }

        func parser(_: XMLParser, didEndElement _: String, namespaceURI _: String?, qualifiedName _: String?) {
            open.removeLast()
        }

        func parser(_: XMLParser, foundCharacters text: String) {
            if let last = open.last { elements[last].text += text }
            for index in open { elements[index].wholeText += text }
        }
    }
}
