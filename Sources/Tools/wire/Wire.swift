// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

@main
enum Wire {
    static func main() {
        System.fillStandardDescriptors()
        Signals.prepare()
        #if DEBUG
            if System.environment("WIRELINE_CHECK_STEPS") != nil { EventLoop.checkSteps() }
        #endif
        let tool = Tool(commands: Command.all, console: Console())
        // Nobody awaits the task: it ends the process. It is detached, because the main actor does not run.
        Task.detached { System.exit(await tool.run(Array(CommandLine.arguments.dropFirst()))) }
        Signals.wait()
    }
}

extension Command {
    /// All commands, in the order of the help.
    static let all: [Command] = [
        .demo, .check, .format, .diff, .encode, .decode, .generate, .call, .serve, .conform, .probe, .proxy,
        .gateway, .webSocketEcho, .webSocketCases, .webSocketConnect, .erlangNames, .erlangPing, .erlangCall,
        .erlangSend, .languageServer, .completions, .manual,
    ]
}
