// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

enum RPCMessage: Equatable {
    /// A call that expects a response with the same ID.
    case request(id: JSONValue, method: String, params: JSONValue)
    case notification(method: String, params: JSONValue)
    /// The response to a request of this server.
    case response

    /// Parses a message. The server responds with the error that this throws.
    init(_ bytes: [UInt8]) throws(RPCError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: bytes)
        } catch {
            throw RPCError(.parseError, error.description)
        }
        guard case .object = value else {
            throw RPCError(.invalidRequest, "a message is an object, not \(value.kind)")
        }
        let id = Self.id(value["id"])
        guard value["jsonrpc"] == "2.0" else { throw RPCError(.invalidRequest, "`jsonrpc` is not \"2.0\"", id: id) }
        guard let method = value["method"]?.text else {
            guard value["method"] == nil, value["result"] != nil || value["error"] != nil else {
                throw RPCError(.invalidRequest, "`method` is not a string", id: id)
            }
            self = .response
            return
        }
        let params = value["params"] ?? .null
        switch (value["id"], id) {
        case (nil, _): self = .notification(method: method, params: params)
        case (_, let id?): self = .request(id: id, method: method, params: params)
        case (_, nil): throw RPCError(.invalidRequest, "`id` is neither a string nor a whole number")
        }
    }

    private static func id(_ value: JSONValue?) -> JSONValue? {
        switch value {
        case .string?: value
        case .number(let number)? where number.isInteger: value
        default: nil
        }
    }
}

struct RPCError: Error, Equatable {
    var code: Code
    var message: String
    /// The ID of the faulty request; nil if it could not be read.
    var id: JSONValue?

    /// JSON-RPC 2.0 §5.1 and LSP 3.17, "ErrorCodes".
    enum Code: Int, Equatable {
        case parseError = -32700
        case invalidRequest = -32600
        case methodNotFound = -32601
        case invalidParams = -32602
        case serverNotInitialized = -32002
        case requestFailed = -32803
    }

    init(_ code: Code, _ message: String, id: JSONValue? = nil) {
        self.code = code
        self.message = message
        self.id = id
    }
}
