// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineSchema

struct StructureGraphTests {
    private static let schema = """
        struct Tree { Tree[] children; } struct Odd { Even[2] a; uint8 b; } struct Even { Odd[] a; Leaf c; }
        struct Leaf { uint8 a; } struct Forest { Tree[] trees; Odd odd; } message Cs_1 { Forest forest; }
        """

    private func names(_ indices: [Int], _ description: ProtocolDescription) -> [String] {
        indices.map { description.structures[$0].name }
    }

    @Test func `a structure that contains itself is found, however indirectly`() throws {
        let description = try describe(Self.schema)
        let isInCycle = StructureGraph(anywhereIn: description).isInCycle
        #expect(names(isInCycle.indices.filter { isInCycle[$0] }, description).sorted() == ["Even", "Odd", "Tree"])
        #expect(!StructureGraph(byValueIn: description).isInCycle.contains(true))
    }

    @Test func `each structure comes after those that it contains by value`() throws {
        let description = try describe(Self.schema)
        let order = names(StructureGraph(byValueIn: description).innermostFirst, description)
        #expect(order == ["Tree", "Leaf", "Even", "Odd", "Forest"])
    }

    @Test func `the depth counts the structure itself, and has no end if it leads to a cycle`() throws {
        let description = try describe(Self.schema)
        #expect(StructureGraph(byValueIn: description).depths() == [1, 3, 2, 1, 4])
        #expect(StructureGraph(anywhereIn: description).depths() == [.max, .max, .max, 1, .max])
    }

    @Test(arguments: [
        (["Leaf"], ["Leaf"]), (["Even", "Leaf", "Even"], ["Even", "Leaf", "Odd"]),
        (["Forest"], ["Forest", "Tree", "Odd", "Even", "Leaf"]), ([], []),
    ])
    func `each structure is reached once, the nearest first`(starts: [String], reached: [String]) throws {
        let description = try describe(Self.schema)
        let indices = starts.compactMap { name in description.structures.firstIndex { $0.name == name } }
        #expect(names(StructureGraph(anywhereIn: description).reached(from: indices), description) == reached)
    }

    @Test func `each field that closes a cycle is reported, with the path to it`() throws {
        let description = try describe("struct A { uint8 x; B[] b; B[] c; } struct B { B[] a; A[] b; A[] c; }")
        var paths: [String] = []
        let graph = StructureGraph(description.bodies) {
            description.innermostBody(of: $0.type)
        } onCycle: { path, target in
            let fields = path.map { description.structures[$0.body].fields[$0.field].name }
            paths.append(fields.joined(separator: ".") + " " + description.structures[target].name)
        }
        #expect(paths == ["b.a B", "b.b A", "b.c A"])
        #expect(graph.isInCycle == [true, true])
    }

    @Test func `a chain may be longer than the stack is deep`() throws {
        let count = 20_000
        let chain = (0..<count).map { "struct S\($0) { S\($0 + 1)[] a; }\n" }.joined()
        let graph = StructureGraph(anywhereIn: try describe(chain + "struct S\(count) { uint8 a; }"))
        #expect(graph.innermostFirst == (0...count).reversed())
        #expect(graph.depths()[0] == count + 1)
        #expect(graph.reached(from: [0]) == Array(0...count))
    }
}
