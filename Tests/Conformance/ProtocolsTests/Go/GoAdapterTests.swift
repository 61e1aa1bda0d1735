// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolsSupport
import Testing
import TestingSupport
import WirelineGenerator
import WirelineSchema

@Suite(.enabled(if: GoTool.isWanted, "\(GoTool.absence)"), .aside)
struct GoAdapterTests {
    @Test func `the adapter is built from its two files, without a module`() throws {
        let scene = try ProtocolFolder.named("Scene").translator.description
        let files = try GoGenerator(scene, package: "main").files() + [GoGenerator(scene).adapter()]
        try LayeredProtocol.inFolder(with: files) { folder in
            #expect(try GoTool.run(in: folder, ["build", "-o", "conform"] + files.map(\.path)) == "")
            var job = ProgramJob(folder.appending(path: "conform").path)
            job.input = #"{"id":1,"ask":"decode","from":"client","hex":"0000000f4e21010000000200026869"}"# + "\n"
            let answer = try job.run()
            #expect(answer.hasPrefix(#"{"id":1,"reply":"ok","count":15,"#))
        }
    }
}
