// SPDX-License-Identifier: Apache-2.0

import WirelineWebSocket

/// The frames of one message for several WebSockets on one loop: one for each form (compressed, window), made once.
final class SharedFrames {
    private var frames: [WebSocketEngine.FrameForm: [UInt8]] = [:]

    /// Call it before the next message.
    func forget() {
        if !frames.isEmpty { frames = [:] }
    }

    /// The frame of a message. Every call before ``forget()`` must be for the same message.
    func frame(of content: RawSpan, in form: WebSocketEngine.FrameForm) throws(WebSocketError) -> [UInt8] {
        if let frame = frames[form] { return frame }
        let frame = try WebSocketEngine.frame(of: content, in: form)
        frames[form] = frame
        return frame
    }
}
