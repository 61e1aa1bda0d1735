// SPDX-License-Identifier: Apache-2.0

/// The program.
@main
enum Wire {
    static func main() {
        System.fillStandardDescriptors()
        Signals.prepare()
        let commands: [Command] = [
            .demo, .check, .format, .diff, .encode, .decode, .generate, .call, .serve, .conform, .probe, .proxy,
            .webSocketEcho, .webSocketCases, .webSocketConnect,
        ]
        let tool = Tool(commands: commands, console: Console())
        // The task is not awaited: it ends the process. It is detached, because the main actor does not run.
        Task.detached { System.exit(await tool.run(Array(CommandLine.arguments.dropFirst()))) }
        Signals.wait()
    }
}
