// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The rules by which a server accepts clients.
public struct WebSocketHandshakePolicy: Equatable, Sendable {
    /// The pages that may connect (default: those of the same origin).
    public var origins = WebSocketOriginPolicy.sameOrigin
    /// The names under which browsers may reach the server; a browser that uses another name gets 403.
    ///
    /// By default, a server that listens on a loopback address allows only local names and IP addresses. Other servers
    /// allow every name.
    public var hosts = WebSocketHostPolicy.localOnLoopback
    /// The compression for clients that offer it; nil (the default) means none.
    public var deflate: WebSocketDeflate?
    /// The memory that zlib may keep for all clients together, in bytes (default 512 MiB); 0: no client is compressed.
    ///
    /// When a client connects, it gets as much of that as it may need: 304 KiB with the largest windows
    /// (``WebSocketDeflate/windowBits``), so that 1,724 clients are compressed. A client for which too little is left
    /// connects without compression.
    public var compressionByteLimit = 512 << 20
    /// The largest head of a request, in bytes (default 16 KiB). More, or more than 100 headers, is answered with 431.
    public var headLimit = 16 * 1024
    /// The pages for requests that do not ask for a WebSocket, by path (default: none, so they get 426).
    ///
    /// Examples are the health check of a load balancer at `/health`, or a page for browsers at `/`. ``hosts``
    /// restricts who can read them; ``origins`` does not. The server also answers a request without `Host`, which no
    /// browser sends.
    public var pages: [String: WebSocketPage] = [:]
    /// Whether there are only ``pages``, and no WebSocket: other paths get 404, and other methods 405.
    package var servesOnlyPages = false

    /// The defaults.
    public init() {}
}

/// A client's request on the server, already checked by the rules of RFC 6455.
public struct WebSocketUpgradeRequest: Equatable, Sendable {
    /// The requested path and query, percent-encoded as received.
    public let target: String
    /// The requested host, with its port unless it is the scheme's default.
    public let host: String
    /// All headers.
    public let headers: WebSocketHeaders
    /// The subprotocols from which the server may choose one, the client's preferred one first.
    public let subprotocols: [String]

    /// The target up to the first `?`.
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// The page for which a browser connects; nil without a browser.
    public var origin: String? { headers["Origin"] }

    /// Name and password, if they came in the form of RFC 7617.
    public var credentials: WebSocketCredentials? {
        let words = headers["Authorization"]?.split(separator: " ") ?? []
        guard words.count == 2, words[0].isSameToken(as: "Basic"), let bytes = try? Base64.decode(String(words[1])),
            let text = String(validating: bytes, as: UTF8.self), let colon = text.firstIndex(of: ":")
        else { return nil }
        return WebSocketCredentials(user: String(text[..<colon]), password: String(text[text.index(after: colon)...]))
    }
}

/// A server's answer to a request.
public enum WebSocketAnswer: Equatable, Sendable {
    /// Accepts the WebSocket; the subprotocol must be one that the client offered.
    case accept(subprotocol: String? = nil, headers: WebSocketHeaders = [:])
    /// Refuses it: 401 with `WWW-Authenticate`, 403, 404, a redirect with `Location` … 426 adds `Upgrade: websocket`.
    case refuse(status: Int, headers: WebSocketHeaders = [:], body: String = "")
}

/// A server's half of the handshake (RFC 6455 §4.2): it reads a request and makes the answer.
///
/// Pass the client's bytes to ``receive(_:)`` until there is a ``request``, answer it with ``answer(_:)``, and send the
/// result of ``takeOutput()``. Send it also after an error, which answers the client by itself. Bytes that are not
/// taken belong to the first frames.
///
///     if let request = handshake.request {
///         try handshake.answer(request.path == "/game" ? .accept() : .refuse(status: 404))
///     }
///
/// After an error about the client, later calls throw the same error.
public struct WebSocketServerHandshake: Sendable {
    private enum State {
        case head(HeadReader)
        case asking(WebSocketUpgradeRequest, key: String, offers: ExtensionList)
        case askingForPage(WebSocketPage, hasBody: Bool)
        case agreed(WebSocketAgreement)
        case refused
        case answered
        case failed(WebSocketError)
    }

    private let policy: WebSocketHandshakePolicy
    /// All clients of a server share it: their handshakes are copies.
    package let compressionBudget: CompressionBudget
    /// Whether the server listens on a loopback address, for ``WebSocketHostPolicy/localOnLoopback``.
    package var listensOnLoopback: Bool
    /// The names under which the program listens, which ``WebSocketHostPolicy/localOnLoopback`` also allows.
    package var ownNames: [String] = []
    private var state: State
    private var output: [UInt8] = []

    /// Makes a handshake that waits for a request.
    ///
    /// - Parameters:
    ///   - policy: The rules for clients.
    ///   - listensOnLoopback: Whether the server listens only on a loopback address, for
    ///     ``WebSocketHostPolicy/localOnLoopback`` (default false).
    /// - Throws: ``WebSocketError/deflateUnavailable(reason:)`` if compression is required and unavailable;
    ///   ``WebSocketError/invalidDeflate``; ``WebSocketError/invalidHeader(name:)`` or
    ///   ``WebSocketError/reservedHeader(name:)`` for a header of a page.
    public init(
        _ policy: WebSocketHandshakePolicy = WebSocketHandshakePolicy(), listensOnLoopback: Bool = false
    ) throws(WebSocketError) {
        var policy = policy
        if let deflate = policy.deflate, try !deflate.isAvailable() { policy.deflate = nil }
        try policy.deflate?.validate()
        for page in policy.pages.values { try Self.validate(page) }
        self.policy = policy
        compressionBudget = CompressionBudget(limit: policy.compressionByteLimit)
        self.listensOnLoopback = listensOnLoopback
        state = .head(HeadReader(limit: policy.headLimit, beginning: ""))
    }

    /// Whether a part of a request has arrived.
    package var hasBegun: Bool { if case .head(let reader) = state { !reader.bytes.isEmpty } else { false } }

    /// The request that waits for an answer; nil before it is complete, and after it is answered.
    public var request: WebSocketUpgradeRequest? {
        guard case .asking(let request, _, _) = state else { return nil }
        return request
    }

    /// The page of ``WebSocketHandshakePolicy/pages`` that the client waits for, if the page has to be made.
    ///
    /// Make it, and pass the result to ``answer(with:)``.
    public var wantedPage: WebSocketPage? {
        guard case .askingForPage(let page, _) = state else { return nil }
        return page
    }

    /// The result of the handshake; nil until the request is accepted.
    public var agreement: WebSocketAgreement? {
        guard case .agreed(let agreement) = state else { return nil }
        return agreement
    }

    /// Whether the client got one of ``WebSocketHandshakePolicy/pages``, so that nothing more will be sent.
    public var hasAnsweredWithPage: Bool { if case .answered = state { true } else { false } }

    /// Returns the bytes to send to the client, and removes them.
    public mutating func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    /// Takes bytes of the client's request.
    ///
    /// - Parameter bytes: The received bytes, split anywhere, without those taken before.
    /// - Returns: The number of bytes taken: all, up to the end of the head. Then there is a ``request``, or a page is
    ///   sent.
    /// - Throws: ``WebSocketError/invalidRequest(_:status:)``, ``WebSocketError/malformedHead(_:offset:)``,
    ///   ``WebSocketError/headTooLarge(limit:)``, ``WebSocketError/tooManyHeaders(limit:)`` or
    ///   ``WebSocketError/notHTTP(firstBytes:)``; the client is told.
    public mutating func receive(_ bytes: RawSpan) throws(WebSocketError) -> Int {
        switch state {
        case .failed(let error): throw error
        case .asking, .askingForPage, .agreed, .refused, .answered: return 0
        case .head(var reader):
            do throws(WebSocketError) {
                // Releases the old state's reference; otherwise each call would copy the bytes.
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

    /// Reports that the connection has ended.
    ///
    /// - Throws: ``WebSocketError/truncated`` if the request is not complete.
    public mutating func endOfInput() throws(WebSocketError) {
        switch state {
        case .head:
            state = .failed(.truncated)
            throw .truncated
        case .failed(let error): throw error
        case .asking, .askingForPage, .agreed, .refused, .answered: return
        }
    }

    // MARK: Answering

    /// Answers the request.
    ///
    /// - Precondition: There is a ``request``.
    /// - Throws: An error about the answer; then the request still waits. It is one of
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

    /// Answers a request for a page that had to be made.
    ///
    /// If the page has a header or a status that cannot be sent, the client gets 500.
    ///
    /// - Parameter page: The page, which was made.
    /// - Precondition: There is a ``wantedPage``, and `page` has its content.
    public mutating func answer(with page: WebSocketPage) {
        guard case .askingForPage(_, let hasBody) = state else { preconditionFailure("no client waits for a page") }
        precondition(page.maker == nil, "the page was not made")
        let isValid = 200...599 ~= page.status && (try? Self.validate(page)) != nil
        respond(with: isValid ? page : WebSocketPage("the page is invalid\n", status: 500), hasBody: hasBody)
    }

    private static func validate(_ page: WebSocketPage) throws(WebSocketError) {
        try validate(page.headers)
        let type: WebSocketHeaders = ["Content-Type": page.contentType]
        try type.validate()
    }

    private mutating func respond(with page: WebSocketPage, hasBody: Bool) {
        respond(page.status, page.contentType, page.headers, page.body, hasBody: hasBody)
        state = .answered
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
            // Takes the first valid offer. An offer with unknown parameters must be declined (RFC 7692 §5.1).
            let offer = offers.elements.lazy.filter { $0.name == DeflateParameters.name }
                .compactMap { DeflateParameters($0) }.first
            if let (answer, agreed) = offer?.answer(deflate), let share = compressionBudget.take(agreed.byteCount) {
                agreement = agreed
                agreement?.share = share
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

    /// Writes an answer after which the connection ends.
    ///
    /// - Parameter hasBody: False for `HEAD`, whose answer still carries the length.
    private mutating func respond(
        _ status: Int, _ contentType: String?, _ headers: WebSocketHeaders, _ body: String, hasBody: Bool = true
    ) {
        // 426 names the protocol to change to, and `Connection` names that header (RFC 9110 §7.8, §15.5.22).
        var own: WebSocketHeaders =
            status == 426 ? ["Upgrade": "websocket", "Connection": "Upgrade, close"] : ["Connection": "close"]
        own.append(name: "Content-Length", value: "\(body.utf8.count)")
        if let contentType { own.append(name: "Content-Type", value: contentType) }
        output += "HTTP/1.1 \(status) \(Self.reason(status))\r\n\(own.lines)\(headers.lines)\r\n".utf8
        if hasBody { output += body.utf8 }
    }

    private mutating func tell(_ error: WebSocketError) {
        switch error {
        // The text does not depend on how the bytes were split. A tool that prints it shows the user what the port
        // serves.
        case .notHTTP: refuse(400, "this is an HTTP server for WebSockets, and the request is not HTTP\n")
        case .headTooLarge, .tooManyHeaders: refuse(431, "\(error)\n")
        case .invalidRequest(let fault, let status):
            var headers: WebSocketHeaders = [:]
            // RFC 6455 §4.4: the refusal of a version names the supported one.
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
        case 405: "Method Not Allowed"
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
        let (method, target, version) = head.startLine
        guard version.utf8.count == 8, version.hasPrefix("HTTP/1."), version.utf8.last?.isDigit == true
        else { throw .malformedHead(.startLine, offset: 0) }
        if let page = page(for: head) {
            let hosts = head.headers.values(of: "Host")
            guard hosts.isEmpty || hosts.count == 1 && Self.url(ofHost: hosts[0]).map(allowsHost(in:)) == true
            else { throw .invalidRequest(.foreignHost, status: 403) }
            let hasBody = method == "GET"
            if page.maker == nil {
                respond(with: page, hasBody: hasBody)
            } else {
                state = .askingForPage(page, hasBody: hasBody)
            }
        } else if policy.servesOnlyPages {
            _ = try Self.path(of: target)
            let isWrongMethod = !["GET", "HEAD"].contains(method)
            let headers: WebSocketHeaders = isWrongMethod ? ["Allow": "GET, HEAD"] : [:]
            let page = WebSocketPage(
                isWrongMethod ? "only GET and HEAD are allowed\n" : "there is no such page\n", headers: headers,
                status: isWrongMethod ? 405 : 404)
            respond(with: page, hasBody: method != "HEAD")
        } else {
            state = try check(head)
        }
    }

    /// Returns the page for a request that does not ask for a WebSocket; nil if there is none.
    private func page(for head: HTTPHead) -> WebSocketPage? {
        let (method, target, _) = head.startLine
        guard !policy.pages.isEmpty, ["GET", "HEAD"].contains(method),
            policy.servesOnlyPages || !head.headers.hasListElement("websocket", in: "Upgrade"),
            let path = try? Self.path(of: target)
        else { return nil }
        return policy.pages[String(path.prefix { $0 != "?" })]
    }

    /// Checks a request (RFC 6455 §4.2.1).
    private func check(_ head: HTTPHead) throws(WebSocketError) -> State {
        let (method, target, version) = head.startLine
        let headers = head.headers
        guard method == "GET" else { throw .invalidRequest(.method, status: 400) }
        guard version != "HTTP/1.0" else { throw .invalidRequest(.version, status: 400) }
        guard headers["Transfer-Encoding"] == nil, Self.hasNoBody(headers)
        else { throw .invalidRequest(.body, status: 400) }
        guard let host = headers.onlyValue(of: "Host"), let url = Self.url(ofHost: host)
        else { throw .invalidRequest(.host, status: 400) }
        let path = try Self.path(of: target)
        guard headers.hasListElement("websocket", in: "Upgrade")
        else { throw .invalidRequest(.upgrade, status: 426) }
        guard headers.hasListElement("Upgrade", in: "Connection")
        else { throw .invalidRequest(.connection, status: 400) }
        guard headers.onlyValue(of: "Sec-WebSocket-Version") == "13"
        else { throw .invalidRequest(.webSocketVersion, status: 426) }
        guard let key = headers.onlyValue(of: "Sec-WebSocket-Key"), HandshakeKey.isKey(key)
        else { throw .invalidRequest(.key, status: 400) }
        let origins = headers.values(of: "Origin")
        guard origins.isEmpty || allowsHost(in: url)
        else { throw .invalidRequest(.foreignHost, status: 403) }
        guard origins.count <= 1, origins.allSatisfy({ policy.origins.allows(origin: $0, host: host) })
        else { throw .invalidRequest(.origin, status: 403) }
        guard let offers = ExtensionList(headers.values(of: "Sec-WebSocket-Extensions"))
        else { throw .invalidRequest(.extensions, status: 400) }
        let request = WebSocketUpgradeRequest(
            target: path, host: host, headers: headers, subprotocols: try Self.subprotocols(headers))
        return .asking(request, key: key, offers: offers)
    }

    /// Returns `http://HOST/`; nil if the value of `Host` is invalid.
    private static func url(ofHost host: String) -> WebSocketURL? {
        guard let url = try? WebSocketURL("http://" + host), url.target == "/", url.credentials == nil,
            !host.hasSuffix("/")
        else { return nil }
        return url
    }

    private func allowsHost(in url: WebSocketURL) -> Bool {
        policy.hosts.allows(url.host, listensOnLoopback: listensOnLoopback, ownNames: ownNames)
    }

    /// Returns whether every announced length is 0. If there are several, other software may use another one (RFC 9112
    /// §6.3).
    private static func hasNoBody(_ headers: WebSocketHeaders) -> Bool {
        headers.values(of: "Content-Length").allSatisfy { value in
            value.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { $0.trimmed == "0" }
        }
    }

    /// Returns a path with a query, also from a URL that contains them (RFC 9112 §3.2).
    private static func path(of target: String) throws(WebSocketError) -> String {
        let isPath = target.hasPrefix("/")
        guard let url = try? WebSocketURL(isPath ? "http://host" + target : target), isPath || url.credentials == nil
        else { throw .invalidRequest(.target, status: 400) }
        return url.target
    }

    private static func subprotocols(_ headers: WebSocketHeaders) throws(WebSocketError) -> [String] {
        let names = headers.listElements(in: "Sec-WebSocket-Protocol").map { String($0) }
        // A head can hold thousands of names; comparing all pairs would be slow.
        guard names.allSatisfy(\.isToken), Set(names).count == names.count
        else { throw .invalidRequest(.subprotocol, status: 400) }
        return names
    }
}
