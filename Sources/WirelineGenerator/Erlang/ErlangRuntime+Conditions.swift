// SPDX-License-Identifier: Apache-2.0

extension ErlangRuntime {
    /// The function for fields with a condition.
    static let conditions = #"""
        %% The value of a field that is set exactly when its condition holds.
        present(undefined, false, _, _) -> undefined;
        present(undefined, true, N, P) -> fail_without_offset({presence, not_set}, [N | P]);
        present(_, false, N, P) -> fail_without_offset({presence, set}, [N | P]);
        present(V, true, _, _) -> V.
        """#
}
