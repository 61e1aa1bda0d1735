// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
    /// A union of a schema. It prints by its arm: `mileage(12)`, and `.mileage(12)` inside a message.
    ///
    /// A `@sensitive` value prints as `(hidden)`.
    public protocol ArmwiseDescription: CustomStringConvertible, CustomDebugStringConvertible {
        /// The name of the arm.
        var armName: String { get }
    }

    extension ArmwiseDescription {
        /// The name of the arm, and its value in parentheses if it has one.
        public var description: String {
            guard let value = Mirror(reflecting: self).children.first?.value else { return armName }
            var text = armName
            // A tuple, which a kept value is, has its own parentheses.
            let isTuple = Mirror(reflecting: value).displayStyle == .tuple
            if !isTuple { text += "(" }
            debugPrint(value, terminator: "", to: &text)
            return isTuple ? text : text + ")"
        }

        /// The value as it is written in Swift.
        public var debugDescription: String { "." + description }
    }
#else
    /// A union of a schema. Embedded Swift has no mirrors, so it does not print there.
    public protocol ArmwiseDescription {
        /// The name of the arm.
        var armName: String { get }
    }
#endif
