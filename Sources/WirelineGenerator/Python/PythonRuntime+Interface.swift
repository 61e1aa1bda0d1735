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
        #"""
        class WireError(ValueError):
            """Why bytes are no packet of this protocol, or why a value cannot be written.

            `kind` is one word (`truncated`, `out_of_range`, ...), `path` the field in the schema's names
            (`Sc_20001.items[1].count`), empty if no field is to blame. `offset` counts from the packet's first byte; it is None if a
            value could not be written.
            """

            def __init__(self, kind: str, path: str = "", offset: int | None = None) -> None:
                super().__init__(kind, path, offset)
                self.kind = kind
                self.path = path
                self.offset = offset

            def __str__(self) -> str:
                return (f"{self.path}: " if self.path else "") + self.kind + ("" if self.offset is None else f" at offset {self.offset}")


        @dataclasses.dataclass(slots=True)
        class Unknown:
            """A message that the schema does not know. It can be encoded, too."""

            id: int
            payload: bytes


        @dataclasses.dataclass(slots=True)
        class Packet:
            """A message that was received, with its packet's header."""

            message: Message
            id: int
            header: dict[str, \#(parameters.headerType)]
            byte_count: int

        """# + (parameters.hasConnection ? PythonConnectionClass(parameters).text : "")
    }

    /// The functions that programs use, and `Splitter`.
    static func api(_ parameters: PythonRuntimeParameters) -> String {
        encoding(parameters) + "\n\n" + decoding(parameters) + "\n" + splitting(parameters)
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

            """# + "\n" + checkNames
                + (parameters.hasConnection
                    ? "\n" + connectionFunctions(parameters) : parameters.dependsOnSender ? "\n" + wrapFrom : "")
    }

    private static let checkNames = #"""

        def _check_names(h: Mapping[str, Any]) -> None:
            for key in h:
                if key not in _HEADER:
                    raise WireError("invalid_header_field", f"packet.{key}")

        """#

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

    /// The method of a splitter for packets that hold others.
    private static let one = """
            def _one(self) -> Packet | None:
                \"\"\"The next packet; those in another one come one by one in its place.\"\"\"
                packet = self._inner.pop() if self._inner else self._next()
                while packet is not None and isinstance(packet.message, Packets):
                    self._inner += reversed(packet.message.packets)
                    packet = self._inner.pop() if self._inner else self._next()
                return packet


        """

    private static func splitting(_ parameters: PythonRuntimeParameters) -> String {
        let isFramed = parameters.framing != nil
        let hasPackets = parameters.layers?.hasPackets == true
        let connection = parameters.hasConnection ? ", self._connection" : ""
        let lasting = parameters.hasConnection ? "        self._connection = \(parameters.connection)\n" : ""
        let shape = parameters.hasConnection && !isFramed ? "\n        self._shape = -1" : ""
        let state = (isFramed ? "self._frame = _Frame()" : "self._needed = 1") + shape
        let reshaping =
            parameters.hasConnection
            ? """
                        # How much is needed depends on the shape of the packet, which the other side's packets may change.
                        shape = _shape(self._sender, self._connection)
                        if shape != self._shape:
                            self._shape, self._needed = shape, 1

            """ : ""
        let inside = isFramed ? "self._frame.is_inside()" : "left"
        let count = isFramed ? "len(self._frame.bytes)" : "left"
        let next =
            isFramed
            ? """
                    frame = self._frame
                    before = frame.count
                    if self._pieces:
                        self._join()
                    whole = _unframe(self._buffer, self._start, frame)
                    self._start += frame.count - before
                    if not whole:
                        return None
                    self._frame = _Frame()
                    return _unframed(frame, self._sender\(connection))
            """
            : """
                    while True:
            \(reshaping)            left = len(self._buffer) - self._start
                        if left < self._needed:
                            # A packet that has not arrived whole is not tried again before its bytes can be there.
                            if left + self._held < self._needed:
                                return None
                            left += self._held
                            self._join()
                        packet = _decode(self._buffer, self._sender, self._start\(connection))
                        if not isinstance(packet, int):
                            self._start += packet.byte_count
                            self._needed = 1
                            return packet
                        self._needed = max(packet, left + 1)
            """
        let left = isFramed ? "" : "        left = len(self._buffer) - self._start + self._held\n"
        return #"""

            class Splitter:
                """Finds the packets in a stream, however they are merged and split.

                    splitter.push(data)
                    for packet in splitter: ...

                Packets before a fault are given before the error is raised. After an error it stays failed, because the start of the
                next packet is unknown.
                """

                def __init__(self, sender: Literal["client", "server"]\#(self.connection(parameters))) -> None:
                    self._sender = sender
            \#(lasting)\#
            \#(hasPackets ? "        self._inner: list[Packet] = []\n" : "")\#
                    self._buffer = b""
                    self._start = 0
                    self._pieces: list[bytes] = []
                    self._held = 0
                    \#(state)
                    self._failure: WireError | None = None

                def push(self, data: bytes | bytearray | memoryview) -> None:
                    """Takes what has arrived."""
                    piece = data if type(data) is bytes else bytes(memoryview(data))
                    self._pieces.append(piece)
                    self._held += len(piece)

                def __iter__(self) -> Iterator[Packet]:
                    return self

                def __next__(self) -> Packet:
                    if self._failure is not None:
                        raise self._failure.with_traceback(None)
                    try:
                        packet = \#(hasPackets ? "self._one()" : "self._next()")
                    except WireError as error:
                        self._failure = error
                        raise
                    if packet is None:
                        raise StopIteration
                    return packet

                def finish(self) -> None:
                    """Says that the stream has ended: that is an error inside a packet."""
            \#(left)\#
                    if self._failure is None and \#(inside):
                        self._failure = WireError("end_of_stream", "", \#(count))
                    if self._failure is not None:
                        raise self._failure.with_traceback(None)

            \#(hasPackets ? one : "")\#
                def _next(self) -> Packet | None:
            \#(next)

                def _join(self) -> None:
                    self._buffer = b"".join((self._buffer[self._start:], *self._pieces))
                    self._start = self._held = 0
                    self._pieces.clear()
            """#
    }
}
