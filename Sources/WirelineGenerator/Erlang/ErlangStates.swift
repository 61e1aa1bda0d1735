// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the functions of a module whose packets depend on states of the connection.
///
/// The states are in the context that the program keeps: `#{state => #{started => true}}`. Each packet that is read or
/// written returns the context for the packets after it.
struct ErlangStates {
    private let types: ErlangTypes
    private var description: ProtocolDescription { types.description }
    private var states: [StateDescription] { description.states }

    init(_ types: ErlangTypes) { self.types = types }

    private func key(_ index: Int) -> String { ErlangText.atom(types.naming.states[index]) }

    /// The type of the map of states; empty without states.
    var mapType: String {
        guard !states.isEmpty else { return "" }
        let members = states.indices.map { "\(key($0)) => \(types.stateType(states[$0].type))" }
        return "#{\(members.joined(separator: ", "))}"
    }

    /// The functions that find the shape of a packet, and the context after it.
    ///
    /// - Parameter isNested: Whether packets can stand inside others. Then there are always shapes; otherwise only with
    ///   states.
    func functions(isNested: Bool = false) -> [String] {
        guard let contexts = description.layout.contexts else { return [] }
        let own = description.layout.dependsOnStates ? [state, numbers, changes] : []
        if isNested { return [nestedShape(contexts.tests)] + own }
        return own.isEmpty ? [] : [shape(contexts.tests)] + own
    }

    /// The lines that find the values of states, and the number of the outcomes of all tests.
    private func outcomes(of tests: [ContextTest]) -> (lines: [String], number: String) {
        let used = states.indices.filter { index in tests.contains { $0.operand == .state(states[index].name) } }
        let bits = tests.enumerated().map { "(bit_if(\(text(of: $1))) bsl \($0))" }
        return (
            used.map { "S\($0 + 1) = state(\(key($0)), Context)" }, bits.isEmpty ? "0" : bits.joined(separator: " bor ")
        )
    }

    private func nestedShape(_ tests: [ContextTest]) -> String {
        let (lines, number) = outcomes(of: tests)
        let hasStates = description.layout.dependsOnStates
        let nested = tests.contains { $0.operand == .nested } ? "Nested" : "_"
        let check = hasStates ? ["check_states(Context)"] : []
        return """
            %% The shape of a packet: who sends it, and which tests hold of states, and of whether it stands in another one.
            shape(Sender, \(nested), \(hasStates ? "Context" : "_")) ->
                \((check + lines + ["{Sender, \(number)}"]).joined(separator: ",\n    ")).

            """
    }

    private func shape(_ tests: [ContextTest]) -> String {
        guard !tests.isEmpty else {
            return """
                shape(Sender, Context) ->
                    check_states(Context),
                    Sender.

                """
        }
        let (lines, number) = outcomes(of: tests)
        return """
            %% The shape of a packet: who sends it, and which tests of states hold.
            shape(Sender, Context) ->
                check_states(Context),
                \((lines + ["{Sender, \(number)}"]).joined(separator: ",\n    ")).

            """
    }

    private func text(of test: ContextTest) -> String {
        guard case .state(let name) = test.operand, let index = description.state(named: name) else {
            let (outside, inside) = (test.holds(for: 0), test.holds(for: 1))
            // Without layers no packet stands inside another one.
            guard outside != inside, description.layout.hasContent else { return outside ? "true" : "false" }
            return inside ? "Nested" : "not Nested"
        }
        let number = ErlangTypes.number(test.number)
        return switch test.comparison {
        case .sharesBit: "S\(index + 1) band \(number) =/= 0"
        case .less: "S\(index + 1) < \(number)"
        default: "S\(index + 1) =:= \(number)"
        }
    }

    private var state: String {
        """
        state(Key, Context) ->
            case Context of
                #{state := #{Key := V}} -> state_number(Key, V);
                _ -> 0
            end.

        check_states(#{state := States}) when is_map(States) ->
            case maps:keys(States) -- [\(states.indices.map(key).joined(separator: ", "))] of
                [] -> ok;
                [Key | _] -> fail_without_offset({unknown_state, Key}, [])
            end;
        check_states(_) -> ok.

        """
    }

    /// The function that returns the number of a state's value.
    private var numbers: String {
        var lines: [String] = []
        for (index, state) in states.enumerated() {
            guard let range = description.integerFormat(of: state.type)?.range else { continue }
            let key = key(index)
            lines += names(of: state.type).map { "state_number(\(key), \($0)) -> \($1);" }
            let bounds = "\(ErlangTypes.number(range.lowerBound)), \(ErlangTypes.number(range.upperBound))"
            let name = ErlangText.binary(state.name)
            if case .flags(let flags, _) = state.type {
                lines.append(
                    "state_number(\(key), V) when is_list(V) -> state_bits(V, \(types.masksFunction(flags))(), \(name));"
                )
            }
            lines.append("state_number(\(key), V) -> state_in_range(V, \(bounds), \(name));")
        }
        let last = lines.indices.last
        if let last { lines[last] = String(lines[last].dropLast()) + "." }
        let bits = """

            state_bits(Names, Masks, Name) ->
                lists:foldl(
                    fun(N, Bits) ->
                        case lists:keyfind(N, 1, Masks) of
                            {_, Mask} -> Bits bor Mask;
                            false when is_integer(N) -> Bits bor N;
                            false -> fail_without_offset({wrong_type, integer}, [Name, <<"state">>])
                        end
                    end,
                    0,
                    Names
                ).

            """
        let hasFlags = states.contains { if case .flags = $0.type { true } else { false } }
        return lines.joined(separator: "\n") + """


            state_in_range(V, Min, Max, _) when is_integer(V), V >= Min, V =< Max -> V;
            state_in_range(V, Min, Max, Name) when is_integer(V) ->
                fail_without_offset({out_of_range, V, Min, Max}, [Name, <<"state">>]);
            state_in_range(_, _, _, Name) -> fail_without_offset({wrong_type, integer}, [Name, <<"state">>]).

            """ + (hasFlags ? bits : "")
    }

    /// Returns the names of a state's values, with their numbers.
    private func names(of type: TypeDescription) -> [(String, String)] {
        switch type {
        case .boolean, .bit: [("true", "1"), ("false", "0")]
        case .enumeration(let index, _):
            zip(description.enumerations[index].cases, types.naming.enumerations[index].cases).map {
                (ErlangText.atom($1), ErlangTypes.number($0.value))
            }
        default: []
        }
    }

    /// The function that returns the context after a message.
    private var changes: String {
        let lines = description.messages.flatMap { message -> [String] in
            guard let change = message.stateChange else { return [] }
            let value = types.integer(change.value, states[change.state].type)
            return Sender.allCases.filter(message.senders.contains).map {
                "sets(\($0.erlangAtom), \(message.id), Context) -> put_state(\(key(change.state)), \(value), Context);"
            }
        }
        let last = ["sets(_, _, Context) -> Context.", ""]
        let functions = (["%% The context of the packets after one."] + lines + last).joined(separator: "\n")
        guard !lines.isEmpty else { return functions }
        return """
            put_state(Key, V, Context) ->
                States = maps:get(state, Context, #{}),
                Context#{state => States#{Key => V}}.

            \(functions)
            """
    }

    // MARK: Exported functions

    func encoding(header: String, wrapping: String) -> String {
        """
        \(ErlangNewConnection.encoding)
        %% @doc A whole packet as the client (cs) or the server (sc) sends it, with the states of the connection.
        %%
        %% It returns the context of the packets after it, which a message may change. Both directions share the states:
        %% pass the context from each packet to the next, whoever sends it.
        -spec encode(context(), header(), message()) -> {ok, iodata(), context()} | {error, error()}.
        encode(Context, Header, Message) when is_map(Context), is_map(Header) ->
            try
                {Id, Payload} = payload(Message\(header)),
                Sender = sender_of(Context, Message),
                Shape = shape(Sender, Context),
                {ok, \(wrapping), sets(Sender, Id, Context)}
            catch
                throw:{error, Error} -> {error, Error}
            end.

        """
    }

    /// - Parameters:
    ///   - unwrapping: The lines that read a packet of a `Shape` from `Bytes`.
    ///   - header: The argument for the header that conditions of messages look at, with its comma.
    func decoding(_ unwrapping: String, header: String) -> String {
        """
        \(ErlangNewConnection.decoding)
        %% @doc The packet that bytes begin with, which the client (cs) or the server (sc) has sent.
        %%
        %% It returns the context of the packets after it, which a message may change. Both directions share the states:
        %% pass the context from each packet to the next, whoever sends it.
        %%
        %% If the bytes end in the packet, at least so many more are needed. After an error in a header, the start
        %% of the next packet is unknown. Strings and bytes are parts of the binary that was given: binary:copy/1 those that
        %% are kept for long.
        -spec decode(context(), cs | sc, binary()) ->
            {ok, header(), message(), Rest :: binary(), context()} | {more, pos_integer()} | {error, error()}.
        decode(Context, Sender, Bytes)
            when is_map(Context), is_binary(Bytes), (Sender =:= cs orelse Sender =:= sc) ->
            try
                Shape = shape(Sender, Context),
                \(unwrapping)
                {ok, Header, message(Sender, Id, Payload, End\(header)), Rest, sets(Sender, Id, Context)}
            catch
                throw:{more, Count} -> {more, Count};
                throw:{error, Error} -> {error, Error}
            end.

        """
    }
}
