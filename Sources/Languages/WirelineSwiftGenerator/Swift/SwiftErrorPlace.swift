// SPDX-License-Identifier: Apache-2.0

/// Records the current field of statements, so that their errors can name it.
///
/// A variable names the current field. It starts with the first field that is entered, and statements set it for the
/// others.
struct SwiftErrorPlace {
    private(set) var canFail = false
    /// Whether a statement sets the variable that names the current field.
    private(set) var setsField = false
    /// Whether a statement sets the variable that counts the items of a list.
    var setsItem = false
    /// The field with which the variable starts.
    var firstField: Int { first ?? 0 }
    /// The field that the variable names; -1 if that is known only at run time.
    private(set) var currentField = -1
    private var first: Int?
    /// Added to the index of a field: the index of a union's arm, whose body has only one field.
    private var arm = 0

    init() {}

    /// Makes a place before the first arm of a union; the variable starts with a number that names no arm.
    init(beforeFirst field: Int) { first = field }

    /// Records that the next statements belong to an arm of a union.
    mutating func move(to arm: Int) {
        self.arm = arm
        currentField = -1
    }

    /// Records that the next statements are about a field.
    mutating func enter(_ index: Int, canFail: Bool = true, in source: inout SwiftSource) {
        self.canFail = self.canFail || canFail
        let index = index + arm
        guard index != currentField else { return }
        currentField = index
        guard first != nil else {
            first = index
            return
        }
        setsField = true
        source.line("field = \(index)")
    }

    /// Records that a statement fails and sets the variable itself.
    mutating func failWithFieldSet() {
        canFail = true
        setsField = true
        first = firstField
        currentField = -1
    }

    /// Records that the variable may name any field.
    mutating func forgetField() { currentField = -1 }
}
