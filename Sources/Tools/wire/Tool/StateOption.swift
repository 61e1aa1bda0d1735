// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

extension Option {
    /// The option for the states of connections. Only protocols with states use it.
    static let state = Option(
        "--state", value: "NAME=VALUE",
        "a state of the connection at first (default 0): a number, true, false, or a name of its enum; messages with "
            + "@sets change it; repeat it for more states")
}

extension ProtocolDescription {
    func states(_ arguments: Arguments) throws(CommandError) -> PacketStates {
        do throws(StateTextError) {
            return try states(settingAll: arguments.all(.state))
        } catch {
            throw .usage("\(Option.state.name): \(error)", hint: error.hint)
        }
    }
}
