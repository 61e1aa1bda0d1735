// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Makes the class for a connection: only with what its packets depend on.
struct PythonConnectionClass {
    private var options: [String] = []
    private var about: [String] = []
    private var body: [String] = []
    private let layers: LayerPlan?
    private let file: RuntimeFile

    init(_ parameters: PythonRuntimeParameters) {
        layers = parameters.layers
        file = parameters.file
        if parameters.hasStates { addStates() }
        guard let layers else { return }
        options.append("*")
        if !layers.keys.isEmpty { addKeys() }
        body.append("self._streams: dict[tuple[str, int], Any] = {}")
        if layers.hasAES {
            add(
                "aes: Callable[[bytes, bytes, bool], bytes]", ["self.aes = aes"],
                ["`aes(key, blocks, encrypts)` returns blocks of 16 bytes, each encrypted or decrypted for itself."])
        }
        if !layers.programLayers.isEmpty { addProgramLayers(layers.programLayers) }
        if layers.hasZlib { add("zlib_level: int = -1", ["self.zlib_level = zlib_level"], []) }
        add(
            "threshold: int | None = None", ["self.threshold = threshold"],
            [
                "`threshold` says from how many bytes on a content gets a layer that asks for its count; without it none does."
            ])
        if !layers.keys.isEmpty { body += ["for name, key in (keys or {}).items():", "    self.set_key(name, key)"] }
    }

    /// The class, and those for parts of packets. A line of spaces alone stands for an empty one.
    var text: String {
        """


        class Connection:
            \"\"\"What the packets of a connection depend on, in both directions: encode, decode and both splitters share it.

        \(PythonText.indented(about).joined(separator: "\n"))
            \"\"\"

            def __init__(self, \(options.joined(separator: ", "))) -> None:
        \(PythonText.indented(body, by: 8).joined(separator: "\n"))\(layers?.keys.isEmpty == false ? setting : "")
        """ + (layers == nil ? "" : "\n\n\n" + file.text("layerClasses"))
    }

    private mutating func add(_ option: String, _ statements: [String], _ lines: [String]) {
        options.append(option)
        body += statements
        about += lines
    }

    private mutating func addStates() {
        add(
            "states: Mapping[str, int] | None = None", ["self.states: dict[str, int] = dict(states or {})"],
            [
                "`states` has numbers by the schema's names, True and False, or cases of an enum; a state that is not there is 0.",
                "Messages set states, and so may the program.",
            ])
    }

    private mutating func addKeys() {
        add(
            "keys: Mapping[str, bytes] | None = None", ["self._keys: dict[tuple[str, str], bytes] = {}"],
            ["`keys` are those of both senders: see set_key."])
    }

    private mutating func addProgramLayers(_ names: [String]) {
        let list = PythonText.tuple(names.map(PythonText.string))
        add(
            "layers: Mapping[str, Callable[[str], Any]]",
            [
                "for name in \(list):",
                "    if name not in layers: raise TypeError(f\"the layer {name} needs a function: Connection(layers={{'{name}': ...}})\")",
                "self._makers = dict(layers)", "self._layers: dict[tuple[str, str], Any] = {}",
            ],
            [
                "`layers` has a function for \(names.map { "`\($0)`" }.joined(separator: ", ")). It is given the sender, and returns an object with two methods.",
                "open(sealed, header, limit) returns the content: None if that is longer than the limit; ValueError if it is damaged.",
                "seal(content, header) returns the sealed bytes.",
            ])
    }

    private var setting: String {
        let lines = file.text("setKey").split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return "\n\n" + PythonText.indented(lines).joined(separator: "\n")
    }
}
