// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension Checker {
    /// Warns about `bytes[8]` and `string[8]`: they are eight values, each with its own count.
    ///
    /// A list of strings that end at a NUL is not warned about, because nobody could take it for one string with a
    /// length.
    func warnAboutFixedList(of element: TypeDescription, _ field: FieldSyntax, count: Int) {
        let shown = field.typeText.quoted
        switch element {
        case .bytes(.counted(let format, _)):
            reporter.warning(
                "\(shown) is not \(count) bytes: it is \(count) byte strings, each with a `\(format.name)` count",
                at: field.typeSpan,
                help: "\(count) bytes are `uint8[\(count)]`; for a list put the `bytes` into a struct")
        case .string(.counted(let format, _)):
            reporter.warning(
                "\(shown) is not a string of \(count) bytes: it is \(count) strings, each with a `\(format.name)` count",
                at: field.typeSpan,
                help: "a string of at most \(count) bytes is `@max(\(count)) string`, text in exactly \(count) bytes "
                    + "`char[\(count)]`; for a list put the `string` into a struct")
        default: break
        }
    }

    /// Warns about types whose name in generated Swift is the name of a Swift type.
    func warnAboutHiddenTypes() {
        for (declaration, owner) in namedTypes {
            let alias = aliasName(declaration.attributes).flatMap { $0.text == owner.text ? nil : $0 }
            for name in [owner, alias].compactMap(\.self) where Self.swiftTypes.contains(name.text) {
                reporter.warning(
                    "in Swift \(name.text.quoted) hides `Swift.\(name.text)` from all code beside it", at: name.span,
                    help: "choose another name, or write `Swift.\(name.text)` in that code")
            }
        }
    }

    /// The types of the standard library and of its concurrency that programs use.
    private static let swiftTypes: Set<String> = [
        "Actor", "AnyActor", "AnyClass", "AnyHashable", "AnyIterator", "AnyKeyPath", "AnyObject", "AnySequence",
        "Array", "ArraySlice", "AsyncIteratorProtocol", "AsyncSequence", "AsyncStream", "AsyncThrowingStream",
        "BidirectionalCollection", "BinaryFloatingPoint", "BinaryInteger", "BitwiseCopyable", "Bool",
        "CancellationError", "CaseIterable", "Character", "CheckedContinuation", "Clock", "ClosedRange", "Codable",
        "CodingKey", "Collection", "CollectionOfOne", "Comparable", "ContiguousArray", "ContinuousClock", "Copyable",
        "CustomDebugStringConvertible", "CustomReflectable", "CustomStringConvertible", "Decodable", "Decoder",
        "DecodingError", "DefaultIndices", "Dictionary", "DiscardingTaskGroup", "Double", "Duration",
        "EmptyCollection", "Encodable", "Encoder", "EncodingError", "EnumeratedSequence", "Equatable", "Error",
        "Escapable", "Executor", "ExpressibleByArrayLiteral", "ExpressibleByBooleanLiteral",
        "ExpressibleByDictionaryLiteral", "ExpressibleByFloatLiteral", "ExpressibleByIntegerLiteral",
        "ExpressibleByNilLiteral", "ExpressibleByStringLiteral", "FixedWidthInteger", "FlattenSequence", "Float",
        "Float16", "FloatingPoint", "GlobalActor", "Hashable", "Hasher", "Identifiable", "InlineArray",
        "InstantProtocol", "Int", "Int128", "Int16", "Int32", "Int64", "Int8", "IteratorProtocol", "JoinedSequence",
        "KeyPath", "KeyValuePairs", "LazySequence", "LosslessStringConvertible", "MainActor", "ManagedBuffer",
        "MemoryLayout", "Mirror", "MutableCollection", "MutableRawSpan", "MutableSpan", "Never", "Numeric",
        "ObjectIdentifier", "OpaquePointer", "OptionSet", "Optional", "OutputRawSpan", "OutputSpan", "PartialKeyPath",
        "PartialRangeFrom", "PartialRangeThrough", "PartialRangeUpTo", "RandomAccessCollection",
        "RandomNumberGenerator", "Range", "RangeExpression", "RangeReplaceableCollection", "RangeSet",
        "RawRepresentable", "RawSpan", "ReferenceWritableKeyPath", "Regex", "Repeated", "Result",
        "ReversedCollection", "Sendable", "SendableMetatype", "Sequence", "SerialExecutor", "Set", "SetAlgebra",
        "SignedInteger", "SignedNumeric", "Slice", "Span", "StaticString", "Strideable", "String", "StringProtocol",
        "Substring", "SuspendingClock", "SystemRandomNumberGenerator", "Task", "TaskGroup", "TaskLocal",
        "TaskPriority", "TextOutputStream", "ThrowingDiscardingTaskGroup", "ThrowingTaskGroup", "UInt", "UInt128",
        "UInt16", "UInt32", "UInt64", "UInt8", "UTF8Span", "Unicode", "UnkeyedDecodingContainer",
        "UnkeyedEncodingContainer", "Unmanaged", "UnownedJob", "UnsafeContinuation", "UnsafeMutablePointer",
        "UnsafePointer", "UnsafeRawPointer", "UnsignedInteger", "Void", "WritableKeyPath", "Zip2Sequence",
    ]
}
