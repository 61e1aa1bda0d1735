// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

struct SeedSchemaTests {
    /// The text of the seed, with its exact spaces.
    static let text = """
        // ========== 切换到新场景 ==========
        message Cs_20001{   
            uint8 SceneId = 1;          // 进入场景ID
            uint32 Line = 2;             // 分线,公用场景发0,多人副本后端会指定

         String message = 3;     // 讯息
        }
        message Sc_20001{
            uint8 Res = 1;               // 1成功 0异常
            uint32 SceneId = 2;          // 现在所在的场景
            uint8 Pos = 3;               // 座标点
            uint8 Status = 4;            // 人物状态 0 正常 10队长状态
            uint8 Type = 5;              // 前端标识
            uint32 DefaultCombat = 6;    // 推荐战斗力

          String message = 7;     // 讯息
        }

        """

    @Test func `the seed's messages have the IDs and directions of their names`() throws {
        let description = try describe(Self.text)
        #expect(description.messages.map(\.name) == ["Cs_20001", "Sc_20001"])
        #expect(description.messages.map(\.id) == [20001, 20001])
        #expect(description.messages.map(\.senders) == [[.client], [.server]])
        #expect(description.messages.map(\.replies) == [["Sc_20001"], []])
        #expect(description.layout == .standard)
    }

    @Test func `the seed's fields keep their order, types, numbers and offsets`() throws {
        let fields = try describe(Self.text).messages[0].fields
        #expect(fields.map(\.name) == ["SceneId", "Line", "message"])
        #expect(fields.map(\.number) == [1, 2, 3])
        #expect(fields.map(\.offset) == [0, 1, 5])
        #expect(
            fields.map(\.type) == [
                .integer(.uint8, .bigEndian), .integer(.uint32, .bigEndian), .string(.counted(.uint16, .bigEndian)),
            ])
    }

    @Test func `the seed's comments become its documentation, without rulers`() throws {
        let message = try describe(Self.text).messages[0]
        #expect(message.documentation == "切换到新场景")
        #expect(message.fields.map(\.documentation) == ["进入场景ID", "分线,公用场景发0,多人副本后端会指定", "讯息"])
        #expect(message.location == SourceLocation(file: "a.wire", line: 2, column: 9))
    }
}
