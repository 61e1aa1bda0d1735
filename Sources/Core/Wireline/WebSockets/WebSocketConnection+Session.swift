// SPDX-License-Identifier: Apache-2.0

import WirelineTransport
import WirelineWebSocket

extension WebSocketLimits {
    /// The output bytes at which a session gives the connection no more messages: half of the limit, so that pings and
    /// their answers still fit.
    var givenByteCount: Int { max(1, frames.outputLimit / 2) }
}

extension WebSocketConnection: SessionConnection {
    /// False also after the peer's close: few peers look at messages after it.
    var takesMessages: Bool {
        guard handshake.isComplete else { return false }
        return stream.takesOutput && engine.isOpen && ending.isPeerOpen
    }

    var waitingByteCount: Int {
        let byteCount = stream.pendingByteCount + engine.pendingByteCount
        return output.messages.isEmpty ? byteCount : max(byteCount, limits.givenByteCount)
    }

    nonisolated(nonsending) func next() async throws(ConnectionError) -> WebSocketMessage? { try await nextMessage() }

    func prepareToSend() -> Bool { waitingByteCount < limits.givenByteCount }

    func whenReadyToSend(_ action: @escaping () -> Void) {
        output.awaitRoom(action)
        reportRoom()
    }

    /// Calls the closure of ``whenReadyToSend(_:)``, if there is room or no more output.
    func reportRoom() {
        guard output.isRoomAwaited, prepareToSend() || !takesMessages else { return }
        output.takeRoomAction()?()
    }

    func whenOutputEnds(_ action: @escaping () -> Void) {
        if takesMessages { onOutputEnd = action } else { action() }
    }
}

extension WebSocketOwner: SessionConnectionOwner {}

extension WebSocketMessage: InboxElement {
    var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let content): content.count
        }
    }

    /// Copies nothing: a message already has memory of its own.
    func copied(for loop: EventLoop) -> WebSocketMessage { self }
}
