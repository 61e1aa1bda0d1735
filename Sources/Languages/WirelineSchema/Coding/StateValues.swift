// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec
import WirelineLanguage

/// The states of a connection as text and JSON.
extension ProtocolDescription {
    /// Parses the text of a state's value: a number, `true` or `false`, a name of its enum, or names of flags separated
    /// by `|`.
    ///
    /// - Throws: `CodecError` with `unknownState` or `outOfRange`.
    package func number(
        ofState name: String, text: String
    ) throws(StateTextError) -> Int128 {
        guard let index = state(named: name) else { throw .unknownState(name, known: states.map(\.name)) }
        let state = states[index]
        let number: Int128? =
            switch state.type {
            case .boolean, .bit: text == "true" ? 1 : text == "false" ? 0 : Int128(text)
            case .enumeration(let index, _):
                enumerations[index].cases.first { $0.name == text }?.value ?? Int128(text)
            case .flags(let index, _): bits(of: text, flagSets[index])
            default: Int128(text)
            }
        guard let number, let format = integerFormat(of: state.type), format.range.contains(number) else {
            throw .invalidValue(text, of: name, allowed: allowedValues(of: state.type))
        }
        return number
    }

    /// Parses a JSON value of a state: a text as above, or the JSON's own text.
    package func number(ofState name: String, json: JSONValue) throws(StateTextError) -> Int128 {
        let text = if case .string(let text) = json { text } else { json.description }
        return try number(ofState: name, text: text)
    }

    private func bits(of text: String, _ flags: FlagsDescription) -> Int128? {
        text.split(separator: "|").reduce(0) { total, word in
            let value = flags.cases.first { $0.name == word }?.value ?? Int128(word)
            return total.flatMap { total in value.map { total | $0 } }
        }
    }

    /// The words for a state's values: names of its cases, `true` and `false`; none for plain numbers.
    package func words(ofState name: String) -> [String] {
        guard let index = state(named: name) else { return [] }
        return switch states[index].type {
        case .boolean, .bit: ["true", "false"]
        case .enumeration(let index, _): enumerations[index].cases.map(\.name)
        case .flags(let index, _): flagSets[index].cases.map(\.name)
        default: []
        }
    }

    private func allowedValues(of type: TypeDescription) -> String {
        switch type {
        case .boolean, .bit: "`true` or `false`, 1 or 0"
        case .enumeration(let index, _): enumerations[index].cases.map(\.name).joined(separator: ", ") + ", or a number"
        case .flags(let index, _): flagSets[index].cases.map(\.name).joined(separator: ", ") + ", or a number"
        default:
            integerFormat(of: type).map { "a whole number from \($0.range.lowerBound) to \($0.range.upperBound)" } ?? ""
        }
    }

    /// Returns the states that `NAME=VALUE` texts set; the others are 0.
    package func states(settingAll texts: [String]) throws(StateTextError) -> PacketStates {
        var result = PacketStates()
        for text in texts {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw .noValue(text) }
            result[String(parts[0])] = try number(ofState: String(parts[0]), text: String(parts[1]))
        }
        return result
    }

    /// Returns the states that an object of JSON sets: `{"started":1,"phase":"play"}`.
    package func states(of json: JSONValue) throws(StateTextError) -> PacketStates {
        guard case .object(let members) = json else { throw .noValue(json.description) }
        var result = PacketStates()
        for member in members { result[member.name] = try number(ofState: member.name, json: member.value) }
        return result
    }

    /// Returns the states that are not 0 as an object of numbers; nil if all are.
    package func json(of states: PacketStates) -> JSONValue? {
        let names = states.names
        return names.isEmpty ? nil : .object(names.map { JSONValue.Member($0, .exactInteger(states[$0])) })
    }

    /// Returns the states that are not 0 as texts: `started=1`.
    package func texts(of states: PacketStates) -> [String] { states.names.map { "\($0)=\(states[$0])" } }
}

package enum StateTextError: Error, Equatable, CustomStringConvertible {
    /// The connections have no state with this name.
    case unknownState(String, known: [String])
    case invalidValue(String, of: String, allowed: String)
    /// The text is not a name, `=` and a value.
    case noValue(String)

    /// One sentence without a full stop.
    package var description: String {
        switch self {
        case .unknownState(let name, _): "a connection has no state `\(name)`"
        case .invalidValue(let value, let name, let allowed):
            "the state `\(name)` is never `\(value)`; it is \(allowed)"
        case .noValue(let text): "`\(text)` is no NAME=VALUE"
        }
    }

    /// Advice, such as the name that the writer probably meant.
    package var hint: String? {
        guard case .unknownState(let name, let known) = self else { return nil }
        if known.isEmpty { return "the packet of this protocol declares no `state`" }
        return Spelling.help(for: name, among: known) ?? "it has " + known.joined(separator: ", ")
    }
}
