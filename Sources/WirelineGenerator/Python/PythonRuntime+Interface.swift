// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension PythonRuntime {
    /// The names of the classes and functions that programs use, and of those beside them. All of them are always there.
    static let apiNames = Set([
        "Packet", "Splitter", "Unknown", "WireError", "_HEADER", "_READERS", "_WRITERS", "_check_names", "_decode",
        "_decode_client",
        "_decode_server", "_wrap", "_wrap_client", "_wrap_from", "_wrap_server", "_fitted", "_fitted_client",
        "_fitted_server", "decode", "encode",
    ]).union(connectionNames)

    /// The classes that programs use. A line of spaces alone stands for an empty one.
    static func classes(_ parameters: PythonRuntimeParameters) -> String {
        parameters.file.text("classes") + "\n"
            + (parameters.hasConnection ? PythonConnectionClass(parameters).text : "")
    }

    /// The functions that programs use, and `Splitter`.
    static func api(_ parameters: PythonRuntimeParameters) -> String {
        encoding(parameters) + "\n\n" + decoding(parameters) + "\n\n" + parameters.file.text("splitter")
    }

    /// The parameter for a connection, where a program may leave it out.
    private static func connection(_ parameters: PythonRuntimeParameters) -> String {
        if parameters.layers?.needsProgram == true { return ", *, connection: Connection" }
        return parameters.hasConnection ? ", connection: Connection | None = None" : ""
    }

    private static func encoding(_ parameters: PythonRuntimeParameters) -> String {
        let sender = parameters.takesSender ? ", sender: Literal[\"client\", \"server\"] | None = None" : ""
        let framed = { (packet: String) in parameters.framing == nil ? packet : "_framed(\(packet))" }
        let chosen = parameters.hasConnection ? "\(parameters.connection), " : ""
        let wrap = { (own: String) in parameters.takesSender ? "_wrap_from(\(chosen)sender or \(own), " : "_wrap(" }
        let fix = parameters.fixesHeader ? ", fix" : ""
        let from = parameters.takesSender ? ", own" : ""
        var lines = ["id, name, write\(from)\(fix) = known"]
        if parameters.fixesHeader { lines.append("if fix is not None: h = fix(h)") }
        let write = "write(message, \(parameters.maximumDepth)\(parameters.looksAtHeader ? ", h" : ""))"
        lines += ["try:", "    payload = \(write)"]
        if parameters.nests {
            lines += ["except RecursionError:", "    raise WireError(\"too_deep\", name) from None"]
        }
        lines += [
            "except WireError as error:", "    raise _under(error, name) from None",
            "return \(framed(wrap("own") + "id, payload, h)"))",
        ]
        let explanation =
            (parameters.hasConnection && parameters.layers?.needsProgram != true
                ? "\n    Without a connection it is the first packet of one." : "")
            + (parameters.dependsOnSender
                ? "\n    A message that both sides send needs the sender: their packets differ." : "")
        if parameters.hasLayers {
            lines = [
                "return _wrap_from(\(parameters.connection), sender or _sender_of(message), message, header or {})"
            ]
        } else {
            lines =
                [
                    "h = header if header is not None else {}", "if h: _check_names(h)",
                    "known = _WRITERS.get(type(message))", "if known is None:",
                    "    if not isinstance(message, Unknown):",
                    "        raise WireError(\"unknown_message\", type(message).__name__)",
                    "    if not isinstance(message.id, int):", "        raise WireError(\"invalid_message_id\")",
                    "    return \(framed(wrap("None") + "message.id, _put_blob(message.payload, \"payload\"), h)"))",
                ] + lines
        }
        return #"""
            def encode(message: Message, header: Mapping[str, Any] | None = None\#(sender)\#(connection(parameters))) -> bytes:
                """A whole packet of a message.

                Of the header what a caller can set is taken from `header`, which may be that of the packet that is answered; lengths,
                IDs, constants and checksums are computed. Raises WireError if a value is not what the schema allows; nothing is cut
                to fit.\#(explanation)
                """
            \#(PythonText.indented(lines).joined(separator: "\n"))

            """# + "\n\n" + parameters.file.text("checkNames") + "\n"
                + (parameters.hasConnection
                    ? "\n" + connectionFunctions(parameters) : parameters.dependsOnSender ? "\n" + wrapFrom : "")
    }

    private static let wrapFrom = #"""

        def _wrap_from(sender: str | None, id: int, payload: bytes, h: Mapping[str, Any]) -> bytes:
            if sender is None:
                raise WireError("needs_sender")
            return (_wrap_server if sender == "server" else _wrap_client)(id, payload, h)

        """#

    private static func decoding(_ parameters: PythonRuntimeParameters) -> String {
        let chosen = parameters.hasConnection ? ", \(parameters.connection)" : ""
        let decode =
            parameters.framing == nil
            ? """
                if type(data) is not bytes: data = bytes(memoryview(data))
                found = _decode(data, sender, start\(chosen))
                return found if type(found) is Packet else None
            """
            : """
                frame = _Frame()
                whole = _unframe(data if type(data) is bytes else bytes(memoryview(data)), start, frame)
                return _unframed(frame, sender\(chosen)) if whole else None
            """
        let explanation =
            parameters.hasConnection && parameters.layers?.needsProgram != true
            ? " Without a connection it is the first packet of one." : ""
        let choosing = """


            def _decode(b: bytes, sender: str, start: int) -> Packet | int:
                return (_decode_server if sender == "server" else _decode_client)(b, sender, start)
            """
        return #"""
            def decode(data: bytes | bytearray | memoryview, sender: Literal["client", "server"], start: int = 0\#(connection(parameters))) -> Packet | None:
                """The packet that begins at `start`, sent by the client or by the server; None if it has not arrived whole.

                What stands after it is not looked at. Raises WireError if the bytes are no packet of the protocol; after such an error,
                the start of the next packet is unknown.\#(explanation)
                """
            \#(decode)\#(parameters.dependsOnSender && !parameters.hasConnection ? choosing : "")

            """#
    }
}
