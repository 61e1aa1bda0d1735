// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
    /// A message or a structure of a schema. It prints as it is written in Swift: `Kick(reason: .duplicate)`.
    ///
    /// `trailingBytes` prints only if there are some, and a `@sensitive` field prints as `(hidden)`. The value has no
    /// conformance if one of its own fields is called `description`.
    public protocol FieldwiseDescription: CustomStringConvertible {}

    extension FieldwiseDescription {
        /// The name of the type, and the fields in parentheses.
        public var description: String {
            var text = "\(Self.self)("
            var separator = ""
            for child in Mirror(reflecting: self).children {
                if child.label == "trailingBytes", (child.value as? [UInt8])?.isEmpty == true { continue }
                text += separator
                separator = ", "
                if let label = child.label { text += label + ": " }
                // As `print` shows a property: text in quotes, a case with its dot.
                debugPrint(child.value, terminator: "", to: &text)
            }
            return text + ")"
        }
    }
#else
    /// A message or a structure of a schema. Embedded Swift has no mirrors, so it does not print there.
    public protocol FieldwiseDescription {}
#endif
