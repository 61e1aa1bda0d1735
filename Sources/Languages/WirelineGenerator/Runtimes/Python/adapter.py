# SPDX-License-Identifier: Apache-2.0
"""Asks generated Python on behalf of `wire conform`: it converts JSON to messages and back. For its marks see runtime.py."""

from __future__ import annotations

# #region imports
import base64
import importlib
import json
import math
import re
import sys
from typing import Any, Final, NoReturn
# #endregion

# What follows stands for the generated module, and for the tables that the generator makes.


class wire:
    class WireError(ValueError):
        kind = ""
        path = ""
        offset: int | None = None

        def __init__(self, kind: str, path: str = "", offset: int | None = None) -> None:
            super().__init__(kind, path, offset)

    class Unknown:
        def __init__(self, id: int, payload: bytes) -> None:
            self.payload = payload

    class Packet:
        def __init__(self, message: object, id: int, header: dict[str, Any], byte_count: int) -> None:
            self.message, self.id, self.header, self.byte_count = message, id, header, byte_count

    @staticmethod
    def encode(message: object, header: dict[str, Any], **more: Any) -> bytes:
        return b""

    @staticmethod
    def decode(packet: bytes, sender: str, **more: Any) -> wire.Packet | None:
        return None


CONNECTION_ARGUMENTS: Final[None] = None
TABLES: Final[dict[str, Any]] = {}
ARMS: Final[list[list[str]]] = []
SENDERS_DIFFER: Final[bool] = False
HAS_CONNECTION: Final[bool] = False


# #region all
class Absent:
    """A layer that this script does not have."""

    def __init__(self, name: str) -> None:
        self.name = name

    def open(self, sealed: bytes, header: Any, limit: int) -> bytes:
        raise Skipped(self.name)

    def seal(self, content: bytes, header: Any) -> bytes:
        raise Skipped(self.name)


class Skipped(Exception):
    """A question that this script cannot answer."""


class Brotli(Absent):
    def open(self, sealed: bytes, header: Any, limit: int) -> bytes | None:  # type: ignore[override]
        module, parts, size = found("brotli"), [], 0
        stream = module.Decompressor()
        try:
            for p in range(len(sealed)):
                if stream.is_finished():
                    raise wire.WireError("trailing_bytes")
                parts.append(stream.process(sealed[p:p + 1]))
                size += len(parts[-1])
                if size > limit:
                    return None
        except module.error:
            raise ValueError("damaged") from None
        if not stream.is_finished():
            raise ValueError("cut")
        return b"".join(parts)

    def seal(self, content: bytes, header: Any) -> bytes:
        return found("brotli").compress(content)  # type: ignore[no-any-return]


def aes(key: bytes, blocks: bytes, encrypts: bool) -> bytes:
    ciphers = found("cryptography.hazmat.primitives.ciphers")
    cipher = ciphers.Cipher(ciphers.algorithms.AES(key), ciphers.modes.ECB())
    side = cipher.encryptor() if encrypts else cipher.decryptor()
    return side.update(blocks) + side.finalize()  # type: ignore[no-any-return]


def found(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise Skipped(name) from None


class Digits:
    """A number as JSON has it: Python would lose the sign of -0, and refuses integers of many digits."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __int__(self) -> int:
        return int(self.text)


class Refused(Exception):
    def __init__(self, kind: str, path: str) -> None:
        super().__init__(kind)
        self.kind = kind
        self.path = path


def refuse(kind: str, path: str) -> NoReturn:
    raise Refused(kind, path)


def reply(line: str) -> str:
    try:
        request = json.loads(line, parse_int=Digits, parse_float=Digits)
    except ValueError:
        return printed({"id": None, "reply": "skip", "text": "this is no JSON"})
    answered = {"id": request.get("id")}
    try:
        answered |= answer(request)
    except Refused as error:
        answered |= {"reply": "error", "error": error.kind, "field": error.path}
    except Skipped as error:
        answered |= {"reply": "skip", "text": f"this script does not have {error}"}
    except wire.WireError as error:
        answered |= {"reply": "error", "error": error.kind, "text": str(error)}
        if error.path:
            answered["field"] = error.path
        if error.offset is not None:
            answered["offset"] = error.offset
    return printed(answered)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    sender = request.get("from", "client")
    # #region connection
    # The states and keys of a question begin anew.
    connection: Any = getattr(wire, "Connection")(CONNECTION_ARGUMENTS)
    # #region keys
    for name, key in request.get("keys", {}).items():
        own, _, rest = name.partition(".")
        if own in ("client", "server") and rest:
            connection.set_key(rest, bytes.fromhex(key), own)
        else:
            connection.set_key(name, bytes.fromhex(key))
    # #endregion
    more: dict[str, Any] = {"connection": connection}
    # #endregion
    # #region !connection
    #| more: dict[str, Any] = {}
    # #endregion
    if request.get("ask") == "decode":
        packet = wire.decode(unhexed(request.get("hex", ""), ""), sender, **more)
        if packet is None:
            return {"reply": "more"}
        return {"reply": "ok", "count": packet.byte_count, "line": line_of(packet)}
    if request.get("ask") == "encode":
        return {"reply": "ok", "hex": encode(request.get("line", {}), sender, more).hex()}
    return {"reply": "skip", "text": "this question is not known"}


# Messages to JSON

def line_of(packet: wire.Packet) -> dict[str, Any]:
    header = {f["name"]: show(f["type"], packet.header[f["name"]]) for f in TABLES["header"] if f["name"] in packet.header}
    message: Any = packet.message
    if hasattr(message, "packets") and type(message) is getattr(wire, "Packets", None):
        return {"message": None, "id": packet.id, "header": header, "packets": [line_of(inner) for inner in message.packets]}
    if isinstance(message, wire.Unknown):
        return {"message": None, "id": packet.id, "header": header, "payload": message.payload.hex()}
    known = next(m for m in TABLES["messages"] if type(message) is getattr(wire, m["own"]))
    shown = {"message": known["name"], "id": packet.id, "header": header, "fields": fields_of(known["fields"], message)}
    if known["trailing"] and getattr(message, known["trailing"]):
        shown["trailing"] = getattr(message, known["trailing"]).hex()
    return shown


def fields_of(fields: list[Any], value: Any) -> dict[str, Any]:
    pairs = [(f, getattr(value, f["own"])) for f in fields]
    return {f["name"]: show(f["type"], v) for f, v in pairs if v is not None}


def show(kind: Any, v: Any) -> Any:
    if isinstance(kind, dict):
        if "list" in kind:
            return [show(kind["list"], item) for item in v]
        if "structure" in kind:
            return fields_of(TABLES["structures"][kind["structure"]]["fields"], v)
        if "enum" in kind:
            cases = TABLES["enumerations"][kind["enum"]]["cases"]
            return next((c["name"] for c in cases if int(c["value"]) == v), int(v))
        if "flags" in kind:
            return names_of(TABLES["flags"][kind["flags"]]["cases"], int(v))
        union, index = TABLES["unions"][kind["union"]], kind["union"]
        arm = next(a for a, own in zip(union["arms"], ARMS[index]) if type(v) is getattr(wire, own))
        if arm["type"] == "kept":
            return {arm["name"]: {"tag": show(union["tag"], v.tag), "bytes": based(v.payload)}}
        return {arm["name"]: None if arm["type"] is None else show(arm["type"], v.value)}
    if kind in ("float32", "float64"):
        return v if math.isfinite(v) else "NaN" if math.isnan(v) else "Infinity" if v > 0 else "-Infinity"
    return based(v) if kind == "bytes" else v


def names_of(cases: list[Any], v: int) -> list[Any]:
    """The names of the masks that lie wholly inside and add a bit, and one number for the bits that are left."""
    found: list[Any] = []
    shown = 0
    for case in cases:
        mask = int(case["value"])
        if v & mask == mask and mask & ~shown != 0:
            found.append(case["name"])
            shown |= mask
    return found + ([v & ~shown] if v & ~shown else [])


def based(v: bytes) -> str:
    return base64.b64encode(v).decode()


# JSON to messages

def encode(line: dict[str, Any], sender: Any, more: dict[str, Any]) -> bytes:
    if SENDERS_DIFFER or HAS_CONNECTION:
        more["sender"] = sender
    message, header = message_of(line, "")
    try:
        return wire.encode(message, header, **more)
    except wire.WireError as error:
        raise wire.WireError(error.kind, named(error.path, line), error.offset) from None


def named(path: str, line: dict[str, Any]) -> str:
    """A fault of the header, or of the packet as a whole, is one of the message that was to be written."""
    name = line.get("message")
    if name is None:
        found = re.match(r"packets\[(\d+)\]\.?", path)
        if found is None or not line.get("packets"):
            return path
        inner = named(path[found.end():], line["packets"][int(found[1])])
        return f"packets[{found[1]}]" + ("." + inner if inner else "")
    name = next(m["name"] for m in TABLES["messages"] if name in (m["name"], m["other"]))
    if path in ("", "packets", "opaque") or path.startswith("packet.") and name != "packet":
        return f"{name}.{path}" if path else str(name)
    return path


def message_of(line: dict[str, Any], path: str) -> tuple[Any, dict[str, Any]]:
    name = line.get("message")
    if name is None:
        id = integer(line.get("id", Digits("0")), True, path + "id")
        if not 0 <= id < 1 << 64:
            refuse("out_of_range", path + "id")
        header = settable(line, path + "header.")
        if isinstance(line.get("packets"), list):
            inner = [message_of(packet, f"{path}packets[{i}].") for i, packet in enumerate(line["packets"])]
            packets = [wire.Packet(message, 0, own, 0) for message, own in inner]
            return getattr(wire, "Packets")(id, packets), header
        return wire.Unknown(id, unhexed(line.get("payload", ""), path)), header
    known = next((m for m in TABLES["messages"] if name in (m["name"], m["other"])), None)
    if known is None:
        refuse("unknown_message", path + name)
    members = values(known["fields"], line.get("fields", {}), path + name)
    if known["trailing"] and line.get("trailing") is not None:
        members[known["trailing"]] = unhexed(line["trailing"], path)
    return getattr(wire, known["own"])(**members), settable(line, path + name + ".header.")


def settable(line: dict[str, Any], path: str) -> dict[str, Any]:
    given = line.get("header") or {}
    fields = [f for f in TABLES["header"] if f["settable"] and f["name"] in given]
    return {f["name"]: read(f["type"], given[f["name"]], path + f["name"]) for f in fields}


def values(fields: list[Any], given: Any, path: str) -> dict[str, Any]:
    if not isinstance(given, dict):
        refuse("wrong_kind", path)
    if not set(given) <= {f["name"] for f in fields}:
        refuse("unknown_key", path)
    made: dict[str, Any] = {}
    for f in fields:
        place = path + "." + f["name"]
        if f["name"] not in given:
            if not f["optional"] and not f["since"]:
                refuse("missing", place)
        elif given[f["name"]] is not None or not f["optional"]:
            made[f["own"]] = read(f["type"], given[f["name"]], place)
    return made


def read(kind: Any, v: Any, path: str) -> Any:
    if isinstance(kind, dict):
        if "list" in kind:
            if not isinstance(v, list):
                refuse("wrong_kind", path)
            return [read(kind["list"], item, f"{path}[{i}]") for i, item in enumerate(v)]
        if "structure" in kind:
            structure = TABLES["structures"][kind["structure"]]
            return getattr(wire, structure["own"])(**values(structure["fields"], v, path))
        if "enum" in kind:
            return number(TABLES["enumerations"][kind["enum"]], v, path)
        if "flags" in kind:
            if not isinstance(v, list):
                refuse("wrong_kind", path)
            bits = 0
            for item in v:
                bits |= number(TABLES["flags"][kind["flags"]], item, path)
            return bits
        return arm_of(kind["union"], v, path)
    if kind in ("integer", "wide"):
        return integer(v, kind == "wide", path)
    if kind in ("float32", "float64"):
        if v in ("NaN", "Infinity", "-Infinity"):
            return float(v)
        if not isinstance(v, Digits):
            refuse("wrong_kind", path)
        return float(v.text) if math.isfinite(float(v.text)) else refuse("number_too_large", path)
    if kind == "bytes" and isinstance(v, str):
        try:
            return base64.b64decode(v, validate=True)
        except ValueError:
            refuse("invalid_base64", path)
    if not isinstance(v, {"boolean": bool, "string": str, "bytes": str, "properties": dict}[kind]):
        refuse("wrong_kind", path)
    return v


def number(choice: Any, v: Any, path: str) -> int:
    found = next((c for c in choice["cases"] if c["name"] == v), None)
    if found is not None:
        return int(found["value"])
    if isinstance(v, str) and not INTEGER.fullmatch(v):
        refuse("unknown_name", path)
    return integer(v, choice["wide"], path)


def arm_of(index: int, v: Any, path: str) -> Any:
    if not isinstance(v, dict) or len(v) != 1:
        refuse("not_one_arm", path)
    ((key, value),) = v.items()
    union, place = TABLES["unions"][index], path + "." + key
    found = next((pair for pair in zip(union["arms"], ARMS[index]) if pair[0]["name"] == key), None)
    if found is None:
        refuse("unknown_key", path)
    arm, made = found[0], getattr(wire, found[1])
    if arm["type"] is None:
        return made() if value is None else refuse("wrong_kind", place)
    if arm["type"] != "kept":
        return made(read(arm["type"], value, place))
    fields = [
        {"name": "tag", "own": "tag", "type": union["tag"], "optional": False, "since": False},
        {"name": "bytes", "own": "payload", "type": "bytes", "optional": False, "since": False},
    ]
    return made(**values(fields, value, place))


INTEGER: Final[re.Pattern[str]] = re.compile("-?(0|[1-9][0-9]*)")


def integer(v: Any, is_wide: bool, path: str) -> int:
    """An integer; if its type has more than 53 bits, it may be a string in JSON. None is beyond 128 bits."""
    if not isinstance(v, Digits) and not (is_wide and isinstance(v, str)):
        refuse("wrong_kind", path)
    text = v.text if isinstance(v, Digits) else v
    if not INTEGER.fullmatch(text):
        refuse("not_an_integer", path)
    if len(text) > 40 or not -1 << 127 <= int(text) < 1 << 127:
        refuse("number_too_large", path)
    return int(text)


def unhexed(text: str, path: str) -> bytes:
    return bytes.fromhex(text) if re.fullmatch("([0-9a-fA-F]{2})*", text) else refuse("wrong_kind", path)


def printed(v: Any) -> str:
    return json.dumps(jsoned(v), separators=(",", ":"))


def jsoned(v: Any) -> Any:
    if isinstance(v, dict):
        return {key: jsoned(item) for key, item in v.items()}
    if isinstance(v, list):
        return [jsoned(item) for item in v]
    if isinstance(v, Digits):
        return int(v)
    if isinstance(v, int) and abs(v) > 9007199254740991:
        return str(int(v))
    return v


for question in sys.stdin:
    print(reply(question), flush=True)
# #endregion
