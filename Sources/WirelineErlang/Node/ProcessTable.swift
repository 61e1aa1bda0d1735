// SPDX-License-Identifier: Apache-2.0

/// The processes of a node, their identifiers and their names.
///
/// An identifier is never used again. References are made here too, because both are numbers of one node's life.
struct ProcessTable {
    /// The numbers of processes below this one are in the identifier's first word, as Erlang has it.
    private static let idCount: UInt64 = 1 << 28

    private let node: ErlangAtom
    private let creation: UInt32
    private var processes: [UInt64: NodeProcess] = [:]
    /// The numbers of the processes for which the program acts at once.
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

    /// The numbers of all processes, in the order in which they began.
    var numbers: [UInt64] { processes.keys.sorted() }

    private static func number(of pid: ErlangPID) -> UInt64 { UInt64(pid.serial) * idCount + UInt64(pid.id) }

    /// Whether an identifier is one of this life of our node.
    func isOurs(_ pid: ErlangPID) -> Bool { pid.creation == creation && pid.node == node }

    /// The number of a process that lives; nil for others.
    func number(of pid: ErlangPID) -> UInt64? {
        guard isOurs(pid) else { return nil }
        let number = Self.number(of: pid)
        return processes.index(forKey: number) == nil ? nil : number
    }

    /// The number of the process that has registered a name.
    func number(of name: ErlangAtom) -> UInt64? { names[name] }

    func number(of target: ErlangTarget) -> UInt64? {
        switch target {
        case .process(let pid): number(of: pid)
        case .name(let name): number(of: name)
        }
    }

    subscript(number: UInt64) -> NodeProcess? { processes[number] }

    /// Whether the program acts at once for a process. It is asked for each message, so it copies no process.
    func isServed(_ pid: ErlangPID) -> Bool { isOurs(pid) && served.contains(Self.number(of: pid)) }

    /// The process, if the program acts for it at once; nil for others.
    func servedProcess(_ number: UInt64) -> ErlangPID? { served.contains(number) ? processes[number]?.pid : nil }

    /// What becomes of a process's messages.
    func kind(_ number: UInt64) -> NodeProcess.Kind? {
        guard let place = processes.index(forKey: number) else { return nil }
        return processes.values[place].kind
    }

    /// Changes a process that lives; nil for others.
    mutating func update<Value>(_ number: UInt64, _ body: (inout NodeProcess) -> Value) -> Value? {
        guard let place = processes.index(forKey: number) else { return nil }
        return body(&processes.values[place])
    }

    /// Starts a process.
    ///
    /// - Returns: nil if its name is taken.
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

    /// Ends a process, and frees its name.
    mutating func remove(_ number: UInt64) -> NodeProcess? {
        guard let process = processes.removeValue(forKey: number) else { return nil }
        served.remove(number)
        if let name = process.name { names[name] = nil }
        return process
    }

    /// Makes a reference that this node has not made before. OTP takes 3 words, the first below 2^18.
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
