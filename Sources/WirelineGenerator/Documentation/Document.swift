// SPDX-License-Identifier: Apache-2.0

/// The documentation of a protocol, independent of HTML and Markdown.
///
/// Its text is unescaped and may come from any schema. The printer must escape it.
struct Document {
    /// The protocol's name.
    var title: String
    var introduction: [Block]
    var sections: [Section]

    /// A section with a heading.
    struct Section {
        /// The anchor, unique in the document: letters, digits, `_`, `-` and `.`.
        var anchor: String
        var title: String
        var blocks: [Block] = []
        var entries: [Entry] = []
    }

    /// A message, a type or the packet's layout, which a search can find.
    struct Entry {
        var anchor: String
        var title: String
        /// Whether the title is a name in the schema.
        var isCode = true
        /// The message's ID, if packets have one.
        var number: UInt64?
        var blocks: [Block]
    }

    enum Block {
        /// One line of text.
        case line([Inline])
        /// The schema's comment, one paragraph an item, each as its lines.
        case comment([[[Inline]]])
        case table(Table)
        /// The parts of a packet or a structure, in byte order.
        case drawing(label: String, [Part])
        /// The introduction of a listing.
        case label(String)
        case listing(Listing, String)
        /// The explanation of drawings, of parts that share bytes too if there are any.
        case legend(hasBits: Bool)
    }

    enum Listing: String {
        case json
        /// Hexadecimal, of any length.
        case digits
        /// Lines with aligned columns.
        case columns
    }

    /// A part of a line.
    enum Inline {
        case text(String)
        /// A name or a value.
        case code(String)
        /// A name that links to an entry.
        case link(String, to: String)
    }

    struct Table {
        var shape: Shape
        /// What the numbers in the table count.
        var caption: String?
        var columns: [String]
        var rows: [Row]

        enum Shape: String {
            /// Offset, bytes, name, type, meaning.
            case fields
            /// Value, name, meaning.
            case values
            /// Links to entries.
            case index
            /// Names and their values.
            case facts
        }
    }

    struct Row {
        var anchor: String?
        /// The entry that the row stands for, if there is one.
        var entry: String?
        /// Whether a search finds the row itself.
        var isEntry = false
        /// The number by which a search finds it.
        var number: UInt64?
        var cells: [[CellLine]]
    }

    /// A line in a cell.
    struct CellLine {
        var inlines: [Inline]
        var role: Role

        enum Role {
            case plain
            /// A name, which a search looks at.
            case name
            /// The schema's comment, which a search looks at.
            case comment
            /// A property from the schema's attributes.
            case note
        }

        init(_ inlines: [Inline], _ role: Role = .plain) {
            self.inlines = inlines
            self.role = role
        }

        init(_ text: String, _ role: Role = .plain) { self.init([.text(text)], role) }
    }

    /// A run of bytes in a drawing.
    struct Part {
        var name: String
        /// The offset in bytes; nil if it depends on earlier parts.
        var offset: Int?
        /// The width in bytes: `4`, `2 + n`.
        var width: String
        /// The width as a number, if it is fixed.
        var byteCount: Int?
        var kind: Kind
        /// Whether a packet may end before it.
        var mayBeAbsent = false
        /// The number of bits before it in the bytes that it shares with others; nil if it shares none.
        var bit: Int?
        /// What a layer holds, whose offsets count from its first byte; nil for bytes.
        var inside: [Part]?

        /// The offset as it is shown: `4`, or `4.3` after three bits of the byte at 4.
        var offsetText: String {
            guard let offset else { return "…" }
            return bit.map { "\(offset).\($0)" } ?? "\(offset)"
        }

        enum Kind {
            /// A part of the header or the trailer.
            case envelope
            case field
            /// A transform of what stands in it.
            case layer
        }
    }
}
