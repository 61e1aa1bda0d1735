// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// How one language spells the statements that read and write packets.
///
/// ``StatementPrinter`` walks over the plan once for all these languages and asks a dialect for each word. A dialect decides no
/// order and computes no bytes. The page <doc:StatementWords> lists the functions of a runtime that statements call.
///
/// A reader is the variable `r`, a writer `w`, the header of a packet `h`. The parameter `f` is the name of a value in the schema.
/// In a language without exceptions the reader keeps its first error. What it returns after that is harmless: zeros, nothing, no
/// further items.
protocol Dialect: Sendable {
    var plan: CodePlan { get }

    // MARK: Types and literals

    func type(_ type: CodeType) -> String

    /// Returns the numbers that the type for a format can hold; more than the format has if the language lacks a narrower type.
    func range(of format: IntegerFormat) -> ClosedRange<Int128>

    /// Returns a number of the type for a format.
    func literal(_ number: Int128, _ format: IntegerFormat) -> String

    /// Returns a text, in ASCII.
    func string(_ text: String) -> String

    /// Returns an expression for bytes.
    func bytes(_ bytes: [UInt8]) -> String

    /// Returns the value of a `@since` field that is not there, or the value that a new body has.
    func literal(_ literal: LiteralPlan, _ value: ValuePlan) -> String

    // MARK: Expressions

    /// Returns the call of a function of the runtime, which is a method of `r` or `w`.
    func call(_ object: String, _ function: String, _ arguments: [String]) -> String

    /// Returns the call of a generated function, such as `readShape`.
    func call(_ function: String, _ arguments: [String]) -> String

    /// Returns the checksum of the bytes from one position to another one, as a number of the format `uint64`.
    func checksum(_ kind: ChecksumKind, _ bytes: String, from: String, to: String) -> String

    /// Returns a number of the type for one format as one of the type for another format. Bits that do not fit are lost.
    func convert(_ text: String, from: IntegerFormat, to: IntegerFormat) -> String

    /// Returns the test that compares a number with a literal: `==`, `!=`, `<`, `<=`, `>`, `>=`.
    func compare(_ text: String, _ mark: String, _ number: Int128, _ format: IntegerFormat) -> String

    /// Returns something of the type `position` as a number of the type for a format.
    func convert(place text: String, to format: IntegerFormat) -> String

    /// Returns the test that compares a float with a number of 64 bits.
    func compare(float text: String, byteCount: Int, _ mark: String, _ number: Double) -> String

    /// Returns a number of the format `uint64`, shifted to the right.
    func shiftedRight(_ text: String, by count: String) -> String

    /// Returns the number of an enum or of flags, of the type for its format; of a plain number, the number.
    func number(of text: String, _ plan: NumberPlan) -> String

    /// Returns the enum or the flags of a number of the type for its format; of a plain number, the number.
    func value(of text: String, _ plan: NumberPlan) -> String

    /// Returns the test that two texts, or two values of bytes, are equal.
    func equal(_ text: String, _ other: String, _ type: CodeType) -> String

    /// Returns the member of a body that is read or written.
    func member(_ own: String) -> String

    /// Returns the member of the header in a variable.
    func headerMember(_ variable: String, _ own: String) -> String

    /// Returns the test that a value which may be absent is there.
    func isSet(_ text: String) -> String

    /// Returns the value of one that may be absent and is there.
    func present(_ text: String, _ type: CodeType) -> String

    /// Returns what sets a member that may be absent to the value in a variable.
    func optional(_ variable: String, _ type: CodeType) -> String

    /// What sets a member that may be absent to nothing.
    var nothing: String { get }

    /// Returns the test that a value is no null; nil if it cannot be one.
    func isNotNull(_ text: String, _ value: ValuePlan) -> String?

    /// Returns a new structure, by its index.
    func newStructure(_ index: Int) -> String

    /// Returns the number of items of a list.
    func count(of list: String) -> String

    func item(_ list: String, _ index: String) -> String

    // MARK: Statements

    /// Returns a statement that evaluates an expression.
    func statement(_ expression: String) -> String

    /// Returns the declaration of a variable that is never set again. A printer removes it if nothing uses it.
    func constant(_ name: String, _ type: CodeType, _ value: String) -> String

    /// Returns the declaration of a variable that may be set again, and may stay unused.
    func variable(_ name: String, _ type: CodeType, _ value: String) -> [String]

    func assign(_ target: String, _ value: String) -> String

    /// Returns the statements of the first branch whose condition holds; `otherwise` may be empty.
    func choose(_ branches: [(condition: String, lines: [String])], otherwise: [String]) -> [String]

    /// Returns a loop that goes on as long as a condition holds; nil: up to a `break`.
    func loop(while condition: String?, _ lines: [String]) -> [String]

    /// Returns a loop in which a variable of the type `position` counts from 0 up to a number before the last one.
    func loop(_ variable: String, below count: String, _ lines: [String]) -> [String]

    var breakLoop: String { get }

    /// Returns the statement that ends a function; without a value, for one that returns none.
    func returns(_ value: String?) -> String

    /// The statement that leaves a function which takes packets apart if more bytes are needed.
    var returnMore: String { get }

    // MARK: Lists

    /// Returns the statements that declare the variable of a list that is read.
    ///
    /// - Parameters:
    ///   - capacity: The number of items for which there is room at first, of the type `position`.
    ///   - fixedCount: The number of items that it always has; nil if the number varies.
    func newList(_ variable: String, _ item: ValuePlan, capacity: String, fixedCount: Int?) -> [String]

    /// Returns the statements that add the item with an index, which makes room for it if there is none.
    func append(_ value: String, to list: String, at index: String, fixedCount: Int?) -> [String]

    /// Returns a list that has been read, with so many items.
    func finished(_ list: String, count: String, fixedCount: Int?) -> String

    // MARK: Unions

    /// Returns the statements that make an arm of a union in the variable `m`, with these values of its members `value`, `tag` and
    /// `bytes`.
    func makeArm(_ arm: String, _ members: [(name: String, value: String)]) -> [String]

    /// Returns a member of the arm in the variable `a`.
    func armMember(_ name: String) -> String

    /// Returns statements for the arms of the union in the variable `m`; each may use the arm in the variable `a`.
    ///
    /// - Parameter otherwise: What is done for no union at all.
    func arms(_ arms: [(name: String, lines: [String])], otherwise: [String]) -> [String]

    // MARK: Connections

    /// Returns the test that one side has sent the packet: the variable is `sender`.
    func isSent(by sender: Sender) -> String

    /// Returns the statement that leaves the function for a packet's shape with an error that has no place.
    func refuse(_ kind: String, path: String) -> String

    /// Returns the statements of the branch with a number, from 0 on; those of the last one for all other numbers. All return.
    func select(_ number: String, _ branches: [[String]]) -> [String]

    // MARK: Packets

    var newHeader: String { get }

    /// The bytes that the reader `r` has, and the index of the packet's first one in them.
    var packetBytes: String { get }
    var packetStart: String { get }

    /// The bytes that the writer `w` has.
    var writtenBytes: String { get }

    /// Returns the statements that end a function which takes packets apart, and read the message: the variables are `id` (of the
    /// format `uint64`), `header` and `total`, the packet's size.
    ///
    /// - Parameter places: The place of each of ``CodePlan/fixedHeaderFields``; -1 for one that such packets never have.
    func received(_ shape: PacketShape, places: [String]) -> [String]

    // MARK: Layers

    /// The header of a part of a packet.
    var newPartHeader: String { get }

    /// Returns the statement that ends a function which reads a part of a packet. The variables are those of a whole packet, and `body` and
    /// `end`, the places of its content.
    func received(_ part: ReceivedPart) -> [String]
}

/// What was read of a packet with layers, as expressions.
struct ReceivedPart: Sendable {
    /// The place of the first field that is not written for conditions only.
    let first: String
    /// The number of the field that counts the content, of the format `int64`, its place, and whether it is there; nil if there is none.
    let counter: (number: String, place: String, isThere: String)?
    /// Whether each rule holds.
    let rules: [String]
    /// The place of each of ``CodePlan/fixedHeaderFields``.
    let places: [String]
}

/// The type of something in printed code.
enum CodeType: Sendable {
    /// A value of the schema.
    case value(ValuePlan)
    /// The narrowest type of the language that holds the numbers of a format.
    case number(IntegerFormat)
    /// A place or a number of bytes in a packet.
    case position
    case boolean
    case text
    case bytes
    case header
}

extension VarintFormat {
    /// The format of a varint's values: languages have 64 bits for all of them.
    var numberFormat: IntegerFormat { isSigned ? .int64 : .uint64 }
}
