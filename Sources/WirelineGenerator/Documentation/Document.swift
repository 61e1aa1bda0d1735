// SPDX-License-Identifier: Apache-2.0

/// The documentation of a protocol, before it is HTML or Markdown.
///
/// It holds text as it is, from schemas of any origin; whoever prints it sees to it that text stays text.
struct Document {
    /// The protocol's name.
    var title: String
    var introduction: [Block]
    var sections: [Section]

    /// What stands under one large heading.
    struct Section {
        /// Unique in the document, as are all anchors; of letters, digits, `_`, `-` and `.`.
        var anchor: String
        var title: String
        var blocks: [Block] = []
        var entries: [Entry] = []
    }

    /// A message, a type or the packet's layout: what a search finds.
    struct Entry {
        var anchor: String
        var title: String
        /// Whether the title is a name in the schema.
        var isCode = true
        /// A message's ID, where packets have one.
        var number: UInt64?
        var blocks: [Block]
    }

    enum Block {
        /// One line of text.
        case line([Inline])
        /// What the schema's comment says, a paragraph an item.
        case comment([[String]])
        case table(Table)
        /// The parts of a packet or a structure, in the order of their bytes.
        case drawing(label: String, [Part])
        /// What introduces a listing.
        case label(String)
        case listing(Listing, String)
        /// How drawings are to be read.
        case legend
    }

    enum Listing: String {
        case json
        /// Hexadecimal, of any length.
        case digits
        /// Lines whose parts stand below each other.
        case columns
    }

    /// A part of a line.
    enum Inline {
        case text(String)
        /// A name or a value.
        case code(String)
        /// A name that leads to an entry.
        case link(String, to: String)
    }

    struct Table {
        var shape: Shape
        /// What the numbers in it count.
        var caption: String?
        var columns: [String]
        var rows: [Row]

        enum Shape: String {
            /// Offset, bytes, name, type, meaning.
            case fields
            /// Value, name, meaning.
            case values
            /// What leads to entries.
            case index
            /// A name and what is so called.
            case facts
        }
    }

    struct Row {
        var anchor: String?
        /// The entry that the row is about, where it stands for one.
        var entry: String?
        /// Whether a search finds the row itself.
        var isEntry = false
        /// The number that a search finds it by.
        var number: UInt64?
        var cells: [[CellLine]]
    }

    /// A line in a cell.
    struct CellLine {
        var inlines: [Inline]
        var role: Role

        enum Role {
            case plain
            /// A name that a search looks at.
            case name
            /// What the schema's comment says, which a search looks at.
            case comment
            /// What is so by the schema's attributes.
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
        /// Where it begins; nil where that depends on what stands before.
        var offset: Int?
        /// How many bytes: `4`, `2 + n`.
        var width: String
        /// The same, where it is one number.
        var byteCount: Int?
        var kind: Kind
        /// Whether a packet may end before it.
        var mayBeAbsent = false

        enum Kind {
            /// Of the header or the trailer.
            case envelope
            case field
        }
    }
}
