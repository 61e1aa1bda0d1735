// SPDX-License-Identifier: Apache-2.0

/// The processes of a node, with their identifiers and names.
///
/// No identifier is used again. References are made here too, because both are numbers of one life of the node.
struct ProcessTable {
    /// As in Erlang, the first word of an identifier is the number modulo this; the second counts the overflows.
    private static let idCount: UInt64 = 1 << 28

    private let node: ErlangAtom
    private let creation: UInt32
    private var processes: [UInt64: NodeProcess] = [:]
    /// The numbers of processes that the program serves at once.
    private var served: Set<UInt64> = []
    private var names: [ErlangAtom: UInt64] = [:]
    private var lastNumber: UInt64 = 0
    private var lastReference: UInt64 = 0
    private var lastUnlink: UInt64 = 0

    init(of ourselves: ErlangPeer) {
        node = ourselves.name.atom
        creation = ourselves.creation
    }

    var count: Int { processes.count }

    /// In the order in which the processes began.
    var numbers: [UInt64] { processes.keys.sorted() }

    private static func number(of pid: ErlangPID) -> UInt64 { UInt64(pid.serial) * idCount + UInt64(pid.id) }

    /// Only identifiers of this life of our node.
    func isOurs(_ pid: ErlangPID) -> Bool { pid.creation == creation && pid.node == node }

    /// Nil if the process has ended or is not ours.
    func number(of pid: ErlangPID) -> UInt64? {
        guard isOurs(pid) else { return nil }
        let number = Self.number(of: pid)
        return processes.index(forKey: number) == nil ? nil : number
    }

    func number(of name: ErlangAtom) -> UInt64? { names[name] }

    func number(of target: ErlangTarget) -> UInt64? {
        switch target {
        case .process(let pid): number(of: pid)
        case .name(let name): number(of: name)
        }
    }

    subscript(number: UInt64) -> NodeProcess? { processes[number] }

    /// Whether the program serves the process at once. Each message asks this, so it copies no process.
    func isServed(_ pid: ErlangPID) -> Bool { isOurs(pid) && served.contains(Self.number(of: pid)) }

    /// The process if it is served; nil for others.
    func servedProcess(_ number: UInt64) -> ErlangPID? { served.contains(number) ? processes[number]?.pid : nil }

    func kind(_ number: UInt64) -> NodeProcess.Kind? {
        guard let place = processes.index(forKey: number) else { return nil }
        return processes.values[place].kind
    }

    /// Nil if there is no such process.
    mutating func update<Value>(_ number: UInt64, _ body: (inout NodeProcess) -> Value) -> Value? {
        guard let place = processes.index(forKey: number) else { return nil }
        return body(&processes.values[place])
    }

    /// - Returns: nil if the name is taken.
    mutating func start(_ kind: NodeProcess.Kind, name: ErlangAtom?, trapsExits: Bool) -> ErlangPID? {
        if let name, names[name] != nil { return nil }
        lastNumber += 1
        let pid = ErlangPID(
            node: node, id: UInt32(truncatingIfNeeded: lastNumber % Self.idCount),
            serial: UInt32(truncatingIfNeeded: lastNumber / Self.idCount), creation: creation)
        processes[lastNumber] = NodeProcess(pid, kind, name: name, trapsExits: trapsExits)
        if let name { names[name] = lastNumber }
        if kind == .served { served.insert(lastNumber) }
        return pid
    }

    /// Also frees the process's name.
    mutating func remove(_ number: UInt64) -> NodeProcess? {
        guard let process = processes.removeValue(forKey: number) else { return nil }
        served.remove(number)
        if let name = process.name { names[name] = nil }
        return process
    }

    /// No reference is made twice. As in OTP, it has 3 words, and the first is below 2^18.
    mutating func makeReference() -> ErlangReference {
        lastReference += 1
        let words = (
            UInt32(truncatingIfNeeded: lastReference & 0x3_FFFF), UInt32(truncatingIfNeeded: lastReference >> 18),
            UInt32(truncatingIfNeeded: lastReference >> 50)
        )
        return ErlangReference(node: node, creation: creation, wordCount: 3) { index in
            index == 0 ? words.0 : index == 1 ? words.1 : words.2
        }
    }

    mutating func makeUnlinkID() -> UnlinkID {
        lastUnlink += 1
        guard let id = UnlinkID(lastUnlink) else { preconditionFailure("2^64 links have ended") }
        return id
    }
}
