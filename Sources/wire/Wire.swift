// SPDX-License-Identifier: Apache-2.0

/// The program.
@main
enum Wire {
    static func main() async {
        System.prepareSignals()
        let tool = Tool(commands: [.demo, .check, .encode, .decode, .generate], console: Console())
        System.exit(await tool.run(Array(CommandLine.arguments.dropFirst())))
    }
}
