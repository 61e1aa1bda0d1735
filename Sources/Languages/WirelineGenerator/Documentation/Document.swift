// SPDX-License-Identifier: Apache-2.0

/// The documentation of a protocol, independent of HTML and Markdown.
///
/// Its text is unescaped and may come from any schema. The printer must escape it.
struct Document {
    var title: String
    var introduction: [Block]
    var sections: [Section]

    struct Section {
        /// The anchor, unique in the document: letters, digits, `_`, `-` and `.`.
        var anchor: String
        var title: String
        var blocks: [Block] = []
        var entries: [Entry] = []
    }

    /// A message, a type or the packet's layout; a search can find it.
    struct Entry {
        var anchor: String
        var title: String
        /// Whether the title is a name in the schema.
        var isCode = true
        var number: UInt64?
        var blocks: [Block]
    }

    enum Block {
        case line([Inline])
        /// The schema's comment: one item a paragraph, each as its lines.
        case comment([[[Inline]]])
        case table(Table)
        /// The parts of a packet or a structure, in byte order.
        case drawing(label: String, [Part])
        /// The introduction of a listing.
        case label(String)
        case listing(Listing, String)
        /// The explanation of drawings, also of parts that share bytes if there are any.
        case legend(hasBits: Bool)
    }

    enum Listing: String {
        case json
        /// Hexadecimal, of any length.
        case digits
        /// Lines with aligned columns.
        case columns
    }

    enum Inline {
        case text(String)
        /// A name or a value.
        case code(String)
        /// A name that links to an entry.
        case link(String, to: String)
    }

    struct Table {
        var shape: Shape
        /// The unit of the numbers in the table.
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
        /// The entry that the row represents, if there is one.
        var entry: String?
        /// Whether a search finds the row itself.
        var isEntry = false
        /// The number by which a search finds it.
        var number: UInt64?
        var cells: [[CellLine]]
    }

    struct CellLine {
        var inlines: [Inline]
        var role: Role

        enum Role {
            case plain
            /// A name; a search finds it.
            case name
            /// The schema's comment; a search finds its words.
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
        /// The number of bits before it in the shared bytes; nil if it shares none.
        var bit: Int?
        /// The content of a layer, with offsets from its first byte; nil for bytes.
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
            /// A transform of its content.
            case layer
        }
    }
}
