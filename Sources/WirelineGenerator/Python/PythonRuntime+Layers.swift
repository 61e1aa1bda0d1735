// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension PythonRuntime {
    /// The classes for parts of packets with layers, after the other classes.
    static func layerClasses(_ plan: LayerPlan) -> String {
        let packets = #"""



            @dataclasses.dataclass(slots=True)
            class Packets:
                """The content of a packet that holds others. To encode one, give messages, or packets with their headers."""

                id: int
                packets: list[Any]
            """#
        return (plan.hasPackets ? packets : "") + #"""



            @dataclasses.dataclass(slots=True)
            class _Part:
                """Some fields of a packet: where its content begins and ends, where the packet and these fields do, and which rules hold."""

                id: int
                header: dict[str, Any]
                body: int
                end: int
                after: int
                first: int
                count: tuple[int, int] | None
                rules: tuple[bool, ...]
                places: tuple[int, ...]


            @dataclasses.dataclass(slots=True)
            class _Section:
                """Layers, and the fields inside of them."""

                layers: tuple[int, ...]
                read: Callable[[bytes, int], _Part | int] | None
                write: Callable[[int, bytes, Mapping[str, Any]], bytes] | None
                keys: tuple[str, ...]


            @dataclasses.dataclass(slots=True)
            class _Shape:
                read_outer: Callable[[bytes, int], _Part | int]
                write_outer: Callable[[int, bytes, Mapping[str, Any]], bytes]
                read_flat: Callable[[bytes, int], _Part | int]
                write_flat: Callable[[int, bytes, Mapping[str, Any]], bytes]
                outer_keys: tuple[str, ...]
                sections: tuple[_Section, ...]
                counter: tuple[str, int, bool, int] | None


            class _Work:
                """What goes on through all packets in one. Only if all of it was right, the connection takes it over."""

                def __init__(self, connection: Connection, sender: str) -> None:
                    self.connection = connection
                    self.sender = sender
                    self.left = \#(plan.maximumByteCount)
                    self.packets = 0
                    self.ids: list[int] = []
                    self.streams: dict[tuple[str, int], Any] = dict(connection._streams)

                def commit(self) -> None:
                    for id in self.ids:
                        _change(self.connection, self.sender, id)
                    self.connection._streams = self.streams
            """#
    }

    /// The functions that open and seal packets.
    static func layers(_ parameters: PythonRuntimeParameters, _ plan: LayerPlan) -> String {
        let inner = plan.hasPackets ? [packetsInside(parameters, plan)] : []
        let text = ([opening(parameters, plan)] + inner + [sealing(parameters, plan), transforms(plan)])
            .joined(separator: "\n\n")
        // Without the statements of another schema, empty lines stay in functions.
        var lines: [Substring] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("    "), lines.last?.isEmpty == true { lines.removeLast() }
            lines.append(line)
        }
        return lines.joined(separator: "\n")
    }

    private static func opening(_ parameters: PythonRuntimeParameters, _ plan: LayerPlan) -> String {
        let looks = parameters.looksAtHeader ? ", part.header" : ""
        let verify = parameters.fixesHeader ? ", verify" : ""
        var before = ["name, read\(verify) = readers[part.id]"]
        if parameters.fixesHeader { before.append("if verify is not None: verify(flat, part.header, part.places)") }
        let reading = [
            "return Packet(read(flat, part.body, part.end, \(parameters.maximumDepth)\(looks)), part.id, part.header, after - start)"
        ]
        let deep =
            parameters.nests
            ? ["except RecursionError:", "    raise WireError(\"too_deep\", name, part.body - origin) from None"] : []
        let packets =
            plan.hasPackets
            ? [
                "if part.rules[-2]:",
                "    _require_depth(depth)",
                "    packets = _open_packets(content, sender, depth + 1, work, streams)",
                "    return Packet(Packets(part.id, packets), part.id, part.header, after - start)",
            ] : []
        return #"""
            def _moved(error: WireError, start: int) -> WireError:
                """An error whose offset counts from another place."""
                return WireError(error.kind, error.path, None if error.offset is None else error.offset - start)


            def _whole(read: Callable[[bytes, int], _Part | int], b: bytes, origin: int) -> _Part:
                """The fields of an opened packet; offsets count from the first byte inside the innermost layer."""
                try:
                    part = read(b, 0)
                    if isinstance(part, int):
                        raise WireError("truncated", "", len(b))
                    return part
                except WireError as error:
                    raise _moved(error, origin) from None


            def _with_stream(n: int, streams: frozenset[int]) -> frozenset[int]:
                """The layers whose keystream goes on. Inner packets are sealed first and opened last, so none may use it again."""
                if n not in _LASTING:
                    return streams
                if n in streams:
                    raise WireError("invalid_layer", _NAMES[n])
                return streams | {n}


            def _open(b: bytes, sender: Literal["client", "server"] | str, start: int, depth: int, work: _Work, streams: frozenset[int]) -> Packet | int:
                """The packet at a place, out of its layers; or how many bytes it must have before it is worth another try."""
                shape = _LAYERED[_shape(sender, work.connection, depth > 0)]
                found = shape.read_outer(b, start)
                if isinstance(found, int):
                    return found
                after, header, rules, count = found.after, found.header, found.rules, found.count
                data, content, trailer = b[start:found.body], b[found.body:found.end], b[found.end:after]
                origin, inside = 0, -1
                for section in shape.sections:
                    for n in section.layers:
                        if not rules[n]:
                            continue
                        if count is not None and shape.counter is not None and count[0] - shape.counter[1] > \#(plan.maximumByteCount):
                            raise WireError("inflated_too_long", _NAMES[n])
                        streams = _with_stream(n, streams)
                        content = _open_layer(n, work, header, content)
                        if n in _INFLATING:
                            if len(content) > work.left:
                                raise WireError("inflated_too_long", _NAMES[n])
                            work.left -= len(content)
                        origin = len(data)
                        if shape.counter is not None and n >= shape.counter[3]:
                            inside = len(content)
                    if section.read is not None:
                        whole = data + content
                        part = _whole(section.read, whole, origin)
                        header, rules = part.header, part.rules
                        data, content = whole[:part.body], whole[part.body:part.end]
                        if count is None and part.count is not None:
                            count = (part.count[0], part.count[1] - origin)
                if shape.counter is not None and count is not None:
                    if count[0] != (inside + shape.counter[1] if inside >= 0 else 0):
                        raise WireError("length_mismatch", "packet." + shape.counter[0], count[1])
                flat = data + content + trailer
                part = _whole(shape.read_flat, flat, origin)
            \#(PythonText.indented(packets).joined(separator: "\n"))
                readers = _READERS[sender]
                # A part of a message sets no state.
                if not part.rules[-1]: work.ids.append(part.id)
                if part.rules[-1] or part.id not in readers:
                    return Packet(Unknown(part.id, content), part.id, part.header, after - start)
            \#(PythonText.indented(before).joined(separator: "\n"))
                try:
            \#(PythonText.indented(reading, by: 8).joined(separator: "\n"))
            \#(PythonText.indented(deep).joined(separator: "\n"))
                except WireError as error:
                    raise _moved(_under(error, name), origin) from None


            def _decode(b: bytes, sender: str, start: int, connection: Connection) -> Packet | int:
                work = _Work(connection, sender)
                packet = _open(b, sender, start, 0, work, frozenset())
                if isinstance(packet, Packet):
                    work.commit()
                return packet

            """#
    }

    private static func packetsInside(_ parameters: PythonRuntimeParameters, _ plan: LayerPlan) -> String {
        let (ends, next): (String, String)
        if let framing = parameters.framing {
            let marks = PythonText.bytes(framing.hasSameMarks ? [framing.start] : [framing.start, framing.end])
            ends = "content[p:].replace(\(marks), b\"\") == b\"\""
            next = """
                frame = _Frame()
                            if not _unframe(content, p, frame):
                                raise WireError("truncated", "", len(content) - p)
                            packet = _open(bytes(frame.bytes), sender, 0, depth, work, streams)
                            if isinstance(packet, int):
                                raise WireError("truncated", "", len(frame.bytes))
                            packet.byte_count = frame.count
                """
        } else {
            ends = "p >= len(content)"
            next = """
                packet = _open(content, sender, p, depth, work, streams)
                            if isinstance(packet, int):
                                raise WireError("truncated", "", len(content) - p)
                """
        }
        return #"""
            def _require_depth(depth: int) -> None:
                if depth >= \#(plan.maximumDepth):
                    raise WireError("too_deep")


            def _require_count(work: _Work) -> None:
                if work.packets >= 65536:
                    raise WireError("too_long", "packets")
                work.packets += 1


            def _inner(error: WireError, i: int) -> WireError:
                """An error in a packet inside another one."""
                return WireError(error.kind, f"packets[{i}]" + ("." + error.path if error.path else ""), error.offset)


            def _open_packets(content: bytes, sender: str, depth: int, work: _Work, streams: frozenset[int]) -> list[Packet]:
                packets: list[Packet] = []
                p = 0
                while not \#(ends):
                    _require_count(work)
                    try:
                        \#(next)
                    except WireError as error:
                        raise _inner(error, len(packets)) from None
                    packets.append(packet)
                    p += packet.byte_count
                return packets

            """#
    }

    private static func sealing(_ parameters: PythonRuntimeParameters, _ plan: LayerPlan) -> String {
        let fix = parameters.fixesHeader ? ", fix" : ""
        let write = "write(message, \(parameters.maximumDepth)\(parameters.looksAtHeader ? ", h" : ""))"
        let fixing = parameters.fixesHeader ? ["if fix is not None: h = fix(h)"] : []
        let deep =
            parameters.nests ? ["except RecursionError:", "    raise WireError(\"too_deep\", name) from None"] : []
        let packets =
            plan.hasPackets
            ? [
                "if isinstance(message, Packets):",
                "    if not isinstance(message.id, int): raise WireError(\"invalid_message_id\")",
                "    _require_depth(depth)",
                "    parts: list[bytes] = []",
                "    for i, item in enumerate(message.packets):",
                "        _require_count(work)",
                "        used: set[int] = set()",
                "        try:",
                "            parts.append(_seal(item.message, item.header, sender, depth + 1, work, used) if isinstance(item, Packet) else _seal(item, {}, sender, depth + 1, work, used))",
                "        except WireError as error:",
                "            raise _inner(error, i) from None",
                "        streams |= used",
                "    return _sealed(message.id, b\"\".join(parts), h, True, sender, depth, work, streams)",
            ] : []
        let sender = parameters.dependsOnSender ? ["if sender is None:", "    raise WireError(\"needs_sender\")"] : []
        let chosen = parameters.dependsOnSender ? "sender" : "sender or \"client\""
        let framed = parameters.framing == nil ? "packet" : "_framed(packet)"
        let inner =
            plan.hasPackets
            ? [
                "while isinstance(message, Packets) and message.packets:",
                "    message = message.packets[0].message if isinstance(message.packets[0], Packet) else message.packets[0]",
            ] : []
        return #"""
            def _wrap_from(connection: Connection, sender: str | None, message: Any, h: Mapping[str, Any]) -> bytes:
            \#(PythonText.indented(sender).joined(separator: "\n"))
                work = _Work(connection, \#(chosen))
                packet = _seal(message, h, work.sender, 0, work, set())
                work.commit()
                return packet


            def _sender_of(message: Any) -> str | None:
            \#(PythonText.indented(inner).joined(separator: "\n"))
                known = _WRITERS.get(type(message))
                return None if known is None else known[3]


            def _seal(message: Any, h: Mapping[str, Any], sender: str, depth: int, work: _Work, streams: set[int]) -> bytes:
                """A whole packet; adds the layers whose keystream goes on that it uses."""
                if h: _check_names(h)
            \#(PythonText.indented(packets).joined(separator: "\n"))
                known = _WRITERS.get(type(message))
                if known is None:
                    if not isinstance(message, Unknown):
                        raise WireError("unknown_message", type(message).__name__)
                    if not isinstance(message.id, int):
                        raise WireError("invalid_message_id")
                    return _sealed(message.id, _put_blob(message.payload, "payload"), h, None, sender, depth, work, streams)
                id, name, write, _\#(fix) = known
            \#(PythonText.indented(fixing).joined(separator: "\n"))
                try:
                    payload = \#(write)
            \#(PythonText.indented(deep).joined(separator: "\n"))
                except WireError as error:
                    raise _under(error, name) from None
                return _sealed(id, payload, h, False, sender, depth, work, streams)


            def _chosen(h: Mapping[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
                return {key: h[key] for key in keys if h.get(key) is not None}


            def _known(shape: _Shape, id: int, h: Mapping[str, Any]) -> _Part:
                """The fields of a packet that are known before its layers are sealed, and which rules hold."""
                return _whole(shape.read_flat, shape.write_flat(id, b"", h), 0)


            def _written(section: _Section, h: Mapping[str, Any], content: bytes) -> bytes:
                """The fields of a section and what is after them. Fields before are written for their conditions only."""
                if section.write is None or section.read is None:
                    return content
                b = section.write(0, content, _chosen(h, section.keys))
                return b[_whole(section.read, b, 0).first:]


            def _sealed(id: int, payload: bytes, h: Mapping[str, Any], holds: bool | None, sender: str, depth: int, work: _Work, streams: set[int]) -> bytes:
                shape = _LAYERED[_shape(sender, work.connection, depth > 0)]
                settable = _chosen(h, _SETTABLE)
                counter = shape.counter
                if counter is not None and counter[2] and counter[0] not in settable:
                    # Whether there is a layer depends on how much there is without one.
                    bare = _known(shape, id, settable).header
                    if counter[0] in bare:
                        settable[counter[0]] = 0
                    if counter[0] in bare and work.connection.threshold is not None:
                        given = {**_chosen(bare, _IDENTIFIERS), **settable}
                        settable[counter[0]] = int(len(_written(shape.sections[-1], given, payload)) >= work.connection.threshold)
                part = _known(shape, id, settable)
                rules, known = part.rules, part.header
                if holds is not None:
                    if holds != rules[-2]:
                        raise WireError("presence", "packets")
                    if not holds and rules[-1]:
                        raise WireError("presence", "opaque")
                if not any(rules[-2:]): work.ids.append(id)
                given = {**_chosen(known, _IDENTIFIERS), **settable}

                def count(n: int) -> None:
                    """Sets the number of bytes inside the innermost layer, which must mean the same layers to a reader."""
                    nonlocal counter
                    if counter is not None and counter[0] in known:
                        if _known(shape, id, {**settable, counter[0]: n}).rules != rules:
                            raise WireError("length_too_small", "packet." + counter[0])
                        known[counter[0]] = given[counter[0]] = n
                    counter = None

                content = payload
                for section in reversed(shape.sections):
                    # From here on the layers are around the field.
                    if counter is not None and section.layers[0] < counter[3]:
                        count(0)
                    content = _written(section, given, content)
                    for n in reversed(section.layers):
                        if not rules[n]:
                            continue
                        streams |= _with_stream(n, frozenset(streams))
                        count(len(content) + (counter[1] if counter is not None else 0))
                        if n in _INFLATING:
                            if len(content) > work.left:
                                raise WireError("inflated_too_long", _NAMES[n])
                            work.left -= len(content)
                        content = _seal_layer(n, work, known, content)
                count(0)
                packet = shape.write_outer(0, content, _chosen(given, shape.outer_keys))
                return \#(framed)

            """#
    }
}
