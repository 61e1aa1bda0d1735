// SPDX-License-Identifier: Apache-2.0

/// A page that a server returns to `GET` and `HEAD` (RFC 9110 §9.3.1 and §9.3.2).
///
/// HTTP/1.0 requests get it, too. The connection closes after it. A page has a fixed text, or is made anew for each
/// request:
///
///     policy.pages["/health"] = WebSocketPage("fine")
///     policy.pages["/players"] = WebSocketPage { WebSocketPage("\(await world.playerCount)") }
public struct WebSocketPage: Equatable, Sendable {
    /// Makes a page for each request. Two are equal if they are the same object.
    package final class Maker: Equatable, Sendable {
        package let timeout: Duration
        package let make: @concurrent @Sendable () async throws -> WebSocketPage

        init(timeout: Duration, make: @escaping @concurrent @Sendable () async throws -> WebSocketPage) {
            self.timeout = timeout
            self.make = make
        }

        package static func == (left: Maker, right: Maker) -> Bool { left === right }
    }

    /// The content.
    public var body: String
    /// The media type.
    public var contentType: String
    /// Other headers, such as `Content-Security-Policy`.
    public var headers: WebSocketHeaders
    /// The status (default 200); 503, for example, tells a load balancer that the server shuts down.
    public var status: Int
    /// Makes the page; nil for a fixed one.
    package let maker: Maker?

    /// Makes a page; it is plain text unless another type is given.
    ///
    /// - Precondition: The status is one of 200 to 599.
    public init(
        _ body: String, contentType: String = "text/plain; charset=utf-8", headers: WebSocketHeaders = [:],
        status: Int = 200
    ) {
        precondition(200...599 ~= status, "no answer has the status \(status)")
        self.body = body
        self.contentType = contentType
        self.headers = headers
        self.status = status
        maker = nil
    }

    /// Makes a page whose content is made for each request.
    ///
    /// A `WebSocketServer` runs the closure on the connection's loop. If the closure throws, or returns a page that has
    /// to be made itself, the client gets 500. If it takes too long, the client gets 503 and the closure's task is
    /// cancelled. A server of packets has only fixed pages, and answers 500.
    ///
    /// - Parameters:
    ///   - timeout: How long the closure may take (default 10 s).
    ///   - make: Makes the page.
    public init(
        within timeout: Duration = .seconds(10),
        making make: @escaping @concurrent @Sendable () async throws -> WebSocketPage
    ) {
        body = ""
        contentType = "text/plain; charset=utf-8"
        headers = [:]
        status = 200
        maker = Maker(timeout: timeout, make: make)
    }
}
