// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// One `union`: a tag, and the value of the arm that has it.
public struct UnionDescription: Equatable, Sendable {
    /// The name in the schema.
    public var name: String
    /// The alias in `@name(…)`.
    public var alias: String?
    /// The type of the tag: an integer, an enum or a `varint`.
    public var tag: TypeDescription
    /// The prefix in `sized(uint8)`, which counts the bytes of the value between it and the end of the union.
    public var sizePrefix: CountFormat?
    /// The byte order of the size prefix.
    public var byteOrder: ByteOrder
    /// The arms in order of declaration, 1 to 256; no two have the same tag. The `default` arm is the last.
    public var arms: [Arm]
    /// The comments above or after it, without comment marks and rulers; may be empty.
    public var documentation: String
    /// The reason in `@deprecated("why")`.
    public var deprecation: String?
    /// The place of its name.
    public var location: SourceLocation

    /// Makes a union without alias, size prefix, documentation and deprecation.
    public init(name: String, tag: TypeDescription, arms: [Arm], byteOrder: ByteOrder, location: SourceLocation) {
        self.name = name
        self.tag = tag
        self.arms = arms
        self.byteOrder = byteOrder
        self.location = location
        documentation = ""
    }

    /// The most arms that a union can have.
    public static let maximumArmCount = 256

    /// The arm that keeps values with another tag, `default: bytes other;`; nil: other tags are refused.
    public var defaultArm: Arm? { arms.last.flatMap { $0.tag == nil ? $0 : nil } }

    package var taggedArms: ArraySlice<Arm> { arms.prefix { $0.tag != nil } }

    /// The fields of the arms that have one, in order.
    package var fields: [FieldDescription] { arms.compactMap(\.field) }

    /// Whether the value of an arm extends to the end of the payload. Nothing can follow such a union.
    package var mayGoToEnd: Bool { sizePrefix == nil && fields.contains { $0.type.goesToEnd } }

    /// One of the values that a union may have.
    public struct Arm: Equatable, Sendable {
        /// The tag; nil for the `default` arm.
        public var tag: Int128?
        /// The name in the schema, which is that of the field.
        public var name: String
        /// The value after the tag; nil if the tag says all. The `default` arm has the type `.bytes(.rest)`.
        public var field: FieldDescription?
        /// The comments above the arm or after it; may be empty.
        public var documentation: String
        /// The place of its name.
        public var location: SourceLocation

        /// Makes an arm that holds a field.
        public init(tag: Int128?, field: FieldDescription) {
            self.tag = tag
            self.field = field
            name = field.name
            documentation = field.documentation
            location = field.location
        }

        /// Makes an arm that holds nothing.
        public init(tag: Int128, name: String, documentation: String = "", location: SourceLocation) {
            self.tag = tag
            self.name = name
            self.documentation = documentation
            self.location = location
        }

        /// The alias in `@name(…)`.
        public var alias: String? { field?.alias }
    }
}

extension ProtocolDescription {
    /// Whether a value of a type may extend to the end of the payload, so that nothing can follow it.
    package func goesToEnd(_ type: TypeDescription) -> Bool {
        var type = type
        for _ in structures.indices {
            guard case .structure(let index) = type, structures[index].sizePrefix == nil,
                let last = structures[index].fields.last
            else { break }
            type = last.type
        }
        return if case .union(let index) = type { unions[index].mayGoToEnd } else { type.goesToEnd }
    }

    package var allFields: [FieldDescription] {
        messages.flatMap(\.fields) + structures.flatMap(\.fields) + unions.flatMap(\.fields)
    }

    // MARK: Bodies

    /// The fields of each structure, then those of the arms of each union: the nodes of a ``StructureGraph``.
    package var bodies: [[FieldDescription]] { structures.map(\.fields) + unions.map(\.fields) }

    /// Returns the index in ``bodies`` of a structure or union, or of a list's items.
    package func innermostBody(of type: TypeDescription) -> Int? {
        switch type.leaf {
        case .structure(let index): index
        case .union(let index): structures.count + index
        default: nil
        }
    }

    /// Returns the index in ``bodies`` of the structure or union that every value of a type contains.
    package func bodyByValue(of type: TypeDescription) -> Int? {
        switch type {
        case .structure(let index): index
        case .union(let index): structures.count + index
        case .fixedList(let element, _), .sized(let element, _): bodyByValue(of: element)
        default: nil
        }
    }
}
