// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// What a server lets clients do.
public struct WebSocketHandshakePolicy: Equatable, Sendable {
    /// Which pages may connect (default: those of the same origin).
    public var origins = WebSocketOriginPolicy.sameOrigin
    /// How messages are compressed with clients that can; nil (the default): not at all.
    public var deflate: WebSocketDeflate?
    /// How many bytes the head of a request may have (default 16 KiB). More is answered 431.
    public var headLimit = 16 * 1024
    /// What is answered to requests that ask for no WebSocket, by their paths (default: nothing; they get 426): the health
    /// check of a load balancer at `/health`, a page for browsers at `/`.
    public var pages: [String: WebSocketPage] = [:]

    /// The defaults.
    public init() {}
}

/// What a server answers with 200 to `GET` and `HEAD` (RFC 9110 §9.3.1 and §9.3.2), of HTTP/1.0 too; the connection is closed
/// behind it.
public struct WebSocketPage: Equatable, Sendable {
    /// The content.
    public var body: String
    /// Its media type.
    public var contentType: String
    /// Other headers, such as `Content-Security-Policy`.
    public var headers: WebSocketHeaders

    /// A text, unless another type is given.
    public init(
        _ body: String, contentType: String = "text/plain; charset=utf-8", headers: WebSocketHeaders = [:]
    ) {
        self.body = body
        self.contentType = contentType
        self.headers = headers
    }
}

/// A client's request, as the server sees it; what RFC 6455 asks of it has been checked.
public struct WebSocketUpgradeRequest: Equatable, Sendable {
    /// What is asked for: path and query, percent-encoded as it came.
    public let target: String
    /// Which host was asked, with its port unless that is the scheme's.
    public let host: String
    /// All headers.
    public let headers: WebSocketHeaders
    /// The subprotocols of which the server may choose one; the client's preferred one first.
    public let subprotocols: [String]

    /// The target up to the first `?`.
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// The page for which a browser asks; nil without a browser.
    public var origin: String? { headers["Origin"] }

    /// Name and password, where they came as RFC 7617 says.
    public var credentials: WebSocketCredentials? {
        let words = headers["Authorization"]?.split(separator: " ") ?? []
        guard words.count == 2, words[0].isSameToken(as: "Basic"), let bytes = try? Base64.decode(String(words[1])),
            let text = String(validating: bytes, as: UTF8.self), let colon = text.firstIndex(of: ":")
        else { return nil }
        return WebSocketCredentials(user: String(text[..<colon]), password: String(text[text.index(after: colon)...]))
    }
}

/// What a server makes of a request.
public enum WebSocketAnswer: Equatable, Sendable {
    /// They talk WebSocket; the subprotocol is one that the client has asked for.
    case accept(subprotocol: String? = nil, headers: WebSocketHeaders = [:])
    /// They do not: 401 with `WWW-Authenticate`, 403, 404, a redirect with `Location` … With 426 stands `Upgrade: websocket`.
    case refuse(status: Int, headers: WebSocketHeaders = [:], body: String = "")
}

/// A server's half of the handshake (RFC 6455 §4.2): a request comes in, an answer goes out.
///
/// Hand over what comes with ``receive(_:)`` until there is a ``request``, say with ``answer(_:)`` what becomes of it, and
/// send what ``takeOutput()`` gives. That holds after an error too, which answers the client by itself. What is not taken
/// are the first frames.
///
///     if let request = handshake.request {
///         try handshake.answer(request.path == "/game" ? .accept() : .refuse(status: 404))
///     }
///
/// A handshake that has thrown something about the client stays failed: later calls throw the same.
public struct WebSocketServerHandshake: Sendable {
    private enum State {
        case head(HeadReader)
        case asking(WebSocketUpgradeRequest, key: String, offers: ExtensionList)
        case agreed(WebSocketAgreement)
        case refused
        case answered
        case failed(WebSocketError)
    }

    private let policy: WebSocketHandshakePolicy
    private var state: State
    private var output: [UInt8] = []

    /// Waits for a request.
    ///
    /// - Throws: ``WebSocketError/deflateUnavailable(reason:)`` where compression is wanted and not optional;
    ///   ``WebSocketError/invalidDeflate``; ``WebSocketError/invalidHeader(name:)`` or
    ///   ``WebSocketError/reservedHeader(name:)`` of a page.
    public init(_ policy: WebSocketHandshakePolicy = WebSocketHandshakePolicy()) throws(WebSocketError) {
        var policy = policy
        if let deflate = policy.deflate, try !Zlib.isAvailable(for: deflate) { policy.deflate = nil }
        try policy.deflate?.validate()
        for page in policy.pages.values {
            try Self.validate(page.headers)
            let type: WebSocketHeaders = ["Content-Type": page.contentType]
            try type.validate()
        }
        self.policy = policy
        state = .head(HeadReader(limit: policy.headLimit, beginning: ""))
    }

    /// Whether some of a request has come, and not all of it.
    package var hasBegun: Bool { if case .head(let reader) = state { !reader.bytes.isEmpty } else { false } }

    /// The request that waits for an answer; nil before it is whole, and once it is answered.
    public var request: WebSocketUpgradeRequest? {
        guard case .asking(let request, _, _) = state else { return nil }
        return request
    }

    /// What both sides have settled; nil before the request is accepted.
    public var agreement: WebSocketAgreement? {
        guard case .agreed(let agreement) = state else { return nil }
        return agreement
    }

    /// Whether the client has got one of ``WebSocketHandshakePolicy/pages``, and nothing is left to be said.
    public var hasAnsweredWithPage: Bool { if case .answered = state { true } else { false } }

    /// Takes what is to be sent to the client.
    public mutating func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    /// Takes bytes of the client's request.
    ///
    /// - Parameter bytes: What has come, cut anywhere, without what was taken before.
    /// - Returns: How many bytes were taken: all, unless there is a ``request``.
    /// - Throws: ``WebSocketError/invalidRequest(_:status:)``, ``WebSocketError/malformedHead(_:offset:)`` or
    ///   ``WebSocketError/headTooLarge(limit:)`` or ``WebSocketError/notHTTP(firstBytes:)``, and the client is told.
    public mutating func receive(_ bytes: RawSpan) throws(WebSocketError) -> Int {
        switch state {
        case .failed(let error): throw error
        case .asking, .agreed, .refused, .answered: return 0
        case .head(var reader):
            do throws(WebSocketError) {
                // Otherwise the bytes would be copied with each call.
                state = .refused
                let count = try reader.receive(bytes)
                if reader.isComplete { try take(HTTPHead(reader.bytes)) } else { state = .head(reader) }
                return count
            } catch {
                state = .failed(error)
                tell(error)
                throw error
            }
        }
    }

    /// Takes note that the connection has ended.
    ///
    /// - Throws: ``WebSocketError/truncated`` before the request is whole.
    public mutating func endOfInput() throws(WebSocketError) {
        switch state {
        case .head:
            state = .failed(.truncated)
            throw .truncated
        case .failed(let error): throw error
        case .asking, .agreed, .refused, .answered: return
        }
    }

    // MARK: Answering

    /// Answers the request that waits.
    ///
    /// - Precondition: There is a ``request``.
    /// - Throws: What is wrong with the answer, and then the request still waits:
    ///   ``WebSocketError/invalidSubprotocol(_:)``, ``WebSocketError/invalidStatus(_:)``,
    ///   ``WebSocketError/invalidHeader(name:)``, ``WebSocketError/reservedHeader(name:)``.
    public mutating func answer(_ answer: WebSocketAnswer) throws(WebSocketError) {
        guard case .asking(let request, let key, let offers) = state
        else { preconditionFailure("there is no request to be answered") }
        switch answer {
        case .accept(let subprotocol, let headers):
            try Self.validate(headers)
            if let subprotocol, !request.subprotocols.contains(subprotocol) { throw .invalidSubprotocol(subprotocol) }
            accept(subprotocol, headers, key, offers)
        case .refuse(let status, let headers, let body):
            try Self.validate(headers)
            guard 300...599 ~= status else { throw .invalidStatus(status) }
            refuse(status, headers, body)
            state = .refused
        }
    }

    private static func validate(_ headers: WebSocketHeaders) throws(WebSocketError) {
        try headers.validate()
        for field in headers.fields where WebSocketRequest.isReserved(field.name) {
            throw .reservedHeader(name: field.name)
        }
    }

    private mutating func accept(
        _ subprotocol: String?, _ headers: WebSocketHeaders, _ key: String, _ offers: ExtensionList
    ) {
        var own: WebSocketHeaders = [
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": HandshakeKey.answer(to: key),
        ]
        if let subprotocol { own.append(name: "Sec-WebSocket-Protocol", value: subprotocol) }
        var agreement: DeflateAgreement?
        if let deflate = policy.deflate {
            // The first that can be met; an offer with parameters that nobody knows is none (RFC 7692 §5.1).
            let offer = offers.elements.lazy.filter { $0.name == DeflateParameters.name }
                .compactMap { DeflateParameters($0) }.first
            if let (answer, agreed) = offer?.answer(deflate) {
                agreement = agreed
                own.append(name: "Sec-WebSocket-Extensions", value: answer.text)
            }
        }
        output += "HTTP/1.1 101 Switching Protocols\r\n\(own.lines)\(headers.lines)\r\n".utf8
        state = .agreed(WebSocketAgreement(subprotocol: subprotocol, deflate: agreement))
    }

    private mutating func refuse(_ status: Int, _ headers: WebSocketHeaders = [:], _ body: String) {
        let hasType = headers["Content-Type"] != nil || body.isEmpty
        respond(status, hasType ? nil : WebSocketPage(body).contentType, headers, body)
    }

    /// Writes an answer behind which the connection ends.
    ///
    /// - Parameter hasBody: False to a `HEAD`, which is told the length all the same.
    private mutating func respond(
        _ status: Int, _ contentType: String?, _ headers: WebSocketHeaders, _ body: String, hasBody: Bool = true
    ) {
        // 426 says to what the client is to change, and `Connection` names that header (RFC 9110 §7.8, §15.5.22).
        var own: WebSocketHeaders =
            status == 426 ? ["Upgrade": "websocket", "Connection": "Upgrade, close"] : ["Connection": "close"]
        own.append(name: "Content-Length", value: "\(body.utf8.count)")
        if let contentType { own.append(name: "Content-Type", value: contentType) }
        output += "HTTP/1.1 \(status) \(Self.reason(status))\r\n\(own.lines)\(headers.lines)\r\n".utf8
        if hasBody { output += body.utf8 }
    }

    private mutating func tell(_ error: WebSocketError) {
        switch error {
        // Whoever shows it to people shows them where they are; the same, however the bytes were cut.
        case .notHTTP: refuse(400, "this is an HTTP server for WebSockets, and the request is not HTTP\n")
        case .headTooLarge: refuse(431, "\(error)\n")
        case .invalidRequest(let fault, let status):
            var headers: WebSocketHeaders = [:]
            // RFC 6455 §4.4: a refusal of the version says which is spoken.
            if fault == .webSocketVersion { headers.append(name: "Sec-WebSocket-Version", value: "13") }
            refuse(status, headers, "\(error)\n")
        default: refuse(400, "\(error)\n")
        }
    }

    private mutating func refuse(_ status: Int, _ body: String) { refuse(status, [:], body) }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 503: "Service Unavailable"
        default: ""
        }
    }

    // MARK: Checking

    private mutating func take(_ head: HTTPHead) throws(WebSocketError) {
        let (method, _, version) = head.startLine
        guard version.utf8.count == 8, version.hasPrefix("HTTP/1."), version.utf8.last?.isDigit == true
        else { throw .malformedHead(.startLine, offset: 0) }
        if let page = page(for: head) {
            respond(200, page.contentType, page.headers, page.body, hasBody: method == "GET")
            state = .answered
        } else {
            state = try Self.check(head, policy)
        }
    }

    /// The page that a request asks for, which is none for a WebSocket.
    private func page(for head: HTTPHead) -> WebSocketPage? {
        let (method, target, _) = head.startLine
        guard !policy.pages.isEmpty, ["GET", "HEAD"].contains(method),
            !head.headers.hasListElement("websocket", in: "Upgrade"), let path = try? Self.path(of: target)
        else { return nil }
        return policy.pages[String(path.prefix { $0 != "?" })]
    }

    /// Checks a request (RFC 6455 §4.2.1).
    private static func check(_ head: HTTPHead, _ policy: WebSocketHandshakePolicy) throws(WebSocketError) -> State {
        let (method, target, version) = head.startLine
        let headers = head.headers
        guard method == "GET" else { throw .invalidRequest(.method, status: 400) }
        guard version != "HTTP/1.0" else { throw .invalidRequest(.version, status: 400) }
        guard headers["Transfer-Encoding"] == nil, hasNoBody(headers)
        else { throw .invalidRequest(.body, status: 400) }
        guard let host = headers.onlyValue(of: "Host"), let url = try? WebSocketURL("http://" + host),
            url.target == "/", url.credentials == nil, !host.hasSuffix("/")
        else { throw .invalidRequest(.host, status: 400) }
        let path = try path(of: target)
        guard headers.hasListElement("websocket", in: "Upgrade")
        else { throw .invalidRequest(.upgrade, status: 426) }
        guard headers.hasListElement("Upgrade", in: "Connection")
        else { throw .invalidRequest(.connection, status: 400) }
        guard headers.onlyValue(of: "Sec-WebSocket-Version") == "13"
        else { throw .invalidRequest(.webSocketVersion, status: 426) }
        guard let key = headers.onlyValue(of: "Sec-WebSocket-Key"), HandshakeKey.isKey(key)
        else { throw .invalidRequest(.key, status: 400) }
        let origins = headers.values(of: "Origin")
        guard origins.count <= 1, origins.allSatisfy({ policy.origins.allows(origin: $0, host: host) })
        else { throw .invalidRequest(.origin, status: 403) }
        guard let offers = ExtensionList(headers.values(of: "Sec-WebSocket-Extensions"))
        else { throw .invalidRequest(.extensions, status: 400) }
        let request = WebSocketUpgradeRequest(
            target: path, host: host, headers: headers, subprotocols: try subprotocols(headers))
        return .asking(request, key: key, offers: offers)
    }

    /// Whether each length that is announced is 0: others may read another one of several (RFC 9112 §6.3).
    private static func hasNoBody(_ headers: WebSocketHeaders) -> Bool {
        headers.values(of: "Content-Length").allSatisfy { value in
            value.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { $0.trimmed == "0" }
        }
    }

    /// A path with a query, or an address that has them (RFC 9112 §3.2).
    private static func path(of target: String) throws(WebSocketError) -> String {
        let isPath = target.hasPrefix("/")
        guard let url = try? WebSocketURL(isPath ? "http://host" + target : target), isPath || url.credentials == nil
        else { throw .invalidRequest(.target, status: 400) }
        return url.target
    }

    private static func subprotocols(_ headers: WebSocketHeaders) throws(WebSocketError) -> [String] {
        let names = headers.listElements(in: "Sec-WebSocket-Protocol").map { String($0) }
        // A head has room for thousands: comparing each with all others would take long.
        guard names.allSatisfy(\.isToken), Set(names).count == names.count
        else { throw .invalidRequest(.subprotocol, status: 400) }
        return names
    }
}
