// SPDX-License-Identifier: Apache-2.0

/// The clauses for unions, which the script has only if the schema has some.
extension ErlangAdapter {
    /// The last clause of `show`.
    static let showUnion = """
        ;
        show({union, Index}, Value) ->
            {Tag, Arms} = union(Index),
            case Value of
                {Arm, Number, Bytes} ->
                    {Name, _, kept} = lists:keyfind(Arm, 2, Arms),
                    {[{Name, {[{<<"tag">>, show(Tag, Number)}, {<<"bytes">>, base64:encode(Bytes)}]}}]};
                {Arm, Inner} ->
                    {Name, _, Type} = lists:keyfind(Arm, 2, Arms),
                    {[{Name, show(Type, Inner)}]};
                Arm ->
                    {Name, _, none} = lists:keyfind(Arm, 2, Arms),
                    {[{Name, null}]}
            end.
        """

    /// Clauses of `read`.
    static let readUnion = """

        read({union, Index}, {[{Name, Value}]}, Path) ->
            {Tag, Arms} = union(Index),
            Inner = <<Path/binary, ".", Name/binary>>,
            case lists:keyfind(Name, 1, Arms) of
                {_, Arm, none} when Value =:= null -> Arm;
                {_, _, none} -> refuse(wrong_kind, Inner);
                {_, Arm, kept} ->
                    [Number, Bytes] = values([{<<"tag">>, Tag, false}, {<<"bytes">>, bytes, false}], Value, Inner),
                    {Arm, Number, Bytes};
                {_, Arm, Type} -> {Arm, read(Type, Value, Inner)};
                false -> refuse(unknown_key, Path)
            end;
        read({union, _}, {_}, Path) -> refuse(not_one_arm, Path);
        """
}
