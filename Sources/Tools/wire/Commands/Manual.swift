// SPDX-License-Identifier: Apache-2.0

extension Command {
    static let manual = Command(
        name: "manual",
        summary: "print the manual page, for man and mandoc",
        parameters: [],
        options: [],
        example: "wire manual > /tmp/wire.1",
        run: { _, console throws(CommandError) in try console.print(lines: ManualPage(commands: all).text) })
}
