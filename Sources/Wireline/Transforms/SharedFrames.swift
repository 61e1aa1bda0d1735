// SPDX-License-Identifier: Apache-2.0

import WirelineWebSocket

/// The frames of what several WebSockets on one loop send: one for each form (compressed, window), made once.
final class SharedFrames {
    private var frames: [WebSocketEngine.FrameForm: [UInt8]] = [:]

    /// Drops all frames, because something else is sent next.
    func forget() {
        if !frames.isEmpty { frames = [:] }
    }

    /// The frame of a message; every call before ``forget()`` must be for the same message.
    func frame(of content: RawSpan, in form: WebSocketEngine.FrameForm) throws(WebSocketError) -> [UInt8] {
        if let frame = frames[form] { return frame }
        let frame = try WebSocketEngine.frame(of: content, in: form)
        frames[form] = frame
        return frame
    }
}
