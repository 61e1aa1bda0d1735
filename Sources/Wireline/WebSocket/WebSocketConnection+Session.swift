// SPDX-License-Identifier: Apache-2.0

import WirelineTransport
import WirelineWebSocket

extension WebSocketLimits {
    /// With how many bytes that wait in it a connection is given no more of a session's messages: there is room for what
    /// pings and their answers add.
    var givenByteCount: Int { max(1, frames.outputLimit / 2) }
}

extension WebSocketConnection: SessionConnection {
    /// Not behind a peer's close either: what is sent there is looked at by few.
    var takesMessages: Bool {
        guard case .open = phase else { return false }
        return stream.takesOutput && engine.isOpen && peerClose == nil && !hasFault
    }

    var waitingByteCount: Int {
        let byteCount = stream.pendingByteCount + engine.pendingByteCount
        return senders.isEmpty ? byteCount : max(byteCount, limits.givenByteCount)
    }

    nonisolated(nonsending) func next() async throws(ConnectionError) -> WebSocketMessage? { try await nextMessage() }

    func hasRoomForSender() -> Bool { waitingByteCount < limits.givenByteCount }

    func whenThereIsRoom(_ action: @escaping () -> Void) {
        onRoom = action
        tellOfRoom()
    }

    func tellOfRoom() {
        guard onRoom != nil, hasRoomForSender() || !takesMessages else { return }
        onRoom.take()?()
    }

    func whenItTakesNoMore(_ action: @escaping () -> Void) {
        if takesMessages { onOutputEnd = action } else { action() }
    }
}

extension WebSocketOwner: SessionConnectionOwner {}

extension WebSocketMessage: SessionElement {
    var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let content): content.count
        }
    }

    /// It has memory of its own.
    func copied(for loop: EventLoop) -> WebSocketMessage { self }
}
