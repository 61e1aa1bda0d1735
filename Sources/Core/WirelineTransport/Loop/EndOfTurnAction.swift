// SPDX-License-Identifier: Apache-2.0

/// An action at the end of a turn, such as sending to a group of connections.
package final class EndOfTurnAction: PollTarget {
    private let action: () -> Void

    package init(_ action: @escaping () -> Void) {
        self.action = action
    }

    override func endTurn() { action() }
}
