// SPDX-License-Identifier: Apache-2.0

/// Makes the functions without a context of a module whose packets depend on one: they are about a new connection.
enum ErlangNewConnection {
    static let encoding = """
        %% @doc A whole packet of a message as the first one of a connection: all states are 0, and there are no keys.
        %%
        %% Of the header what can be set is taken from the map: see settable/1. IDs, lengths, constants and checksums are
        %% computed and must not be in it. Every value is checked before it is written; nothing is cut to fit.
        -spec encode(header(), message()) -> {ok, iodata()} | {error, error()}.
        encode(Header, Message) ->
            case encode(#{}, Header, Message) of
                {ok, Data, _} -> {ok, Data};
                Error -> Error
            end.

        """

    static let decoding = """
        %% @doc The packet that bytes begin with, as the first one of a connection: see decode/3.
        -spec decode(cs | sc, binary()) ->
            {ok, header(), message(), Rest :: binary()} | {more, pos_integer()} | {error, error()}.
        decode(Sender, Bytes) ->
            case decode(#{}, Sender, Bytes) of
                {ok, Header, Message, Rest, _} -> {ok, Header, Message, Rest};
                Other -> Other
            end.

        """
}
