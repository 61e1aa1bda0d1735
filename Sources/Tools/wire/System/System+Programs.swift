// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension System {
    struct ProgramResult {
        /// The exit status, or 128 plus the signal's number if a signal has ended the program.
        var status: Int32
        var output: [UInt8]
        var errors: [UInt8]
    }

    /// Finds a program through `PATH`, runs it without standard input, and waits for its end.
    ///
    /// - Parameter outputLimit: The largest output, in bytes. More output is an error.
    static func run(_ program: String, _ words: [String], outputLimit: Int) throws(SystemError) -> ProgramResult {
        let output = try Pipe()
        defer { output.close() }
        let errors = try Pipe()
        defer { errors.close() }
        let process = try spawn(program, words, output, errors)
        output.closeWritingEnd()
        errors.closeWritingEnd()
        var result = ProgramResult(status: 0, output: [], errors: [])
        var failure: SystemError?
        do throws(SystemError) {
            (result.output, result.errors) = try contents(output, errors, limit: outputLimit)
        } catch {
            failure = error
            output.close()
            errors.close()
        }
        var status: Int32 = 0
        // SAFETY: the kernel writes only the status.
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        if let failure { throw failure }
        result.status = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + status & 0x7F
        return result
    }

    /// Reads two pipes to their ends, as the bytes come: a program that fills one of them would block.
    private static func contents(
        _ output: Pipe, _ errors: Pipe, limit: Int
    ) throws(SystemError) -> (output: [UInt8], errors: [UInt8]) {
        var contents: [[UInt8]] = [[], []]
        var ends = [output, errors].map { pollfd(fd: $0.readingEnd, events: Int16(POLLIN), revents: 0) }
        while ends.contains(where: { $0.fd >= 0 }) {
            // SAFETY: the array has as many items as it says; the kernel ignores those with a negative descriptor.
            let count = repeatingInterrupted { unsafe Int(poll(&ends, nfds_t(ends.count), -1)) }
            guard count >= 0 else { throw SystemError(code: errno) }
            for index in ends.indices where ends[index].revents != 0 {
                let piece = try read(ends[index].fd, limit: 1 << 16)
                guard contents[index].count + piece.count <= limit else { throw SystemError(code: EFBIG) }
                contents[index] += piece
                if piece.isEmpty { ends[index].fd = -1 }
                ends[index].revents = 0
            }
        }
        return (contents[0], contents[1])
    }

    private static func spawn(
        _ program: String, _ words: [String], _ output: Pipe, _ errors: Pipe
    ) throws(SystemError) -> pid_t {
        // SAFETY: here and below, the actions are initialised before use and destroyed once, and copy the path that
        // they get.
        var actions = unsafe noSpawnActions
        var code = unsafe posix_spawn_file_actions_init(&actions)
        guard code == 0 else { throw SystemError(code: code) }
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, Descriptor.standardInput, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output.writingEnd, Descriptor.standardOutput)
        unsafe posix_spawn_file_actions_adddup2(&actions, errors.writingEnd, Descriptor.standardError)
        let copies = unsafe ([program] + words).map { unsafe strdup($0) }
        defer { for index in unsafe copies.indices { unsafe free(copies[index]) } }
        var process = pid_t()
        // SAFETY: the words end in a NUL and their list in nil, and both live until the call returns; nothing in this
        // process changes the environment.
        code = unsafe posix_spawnp(&process, program, &actions, nil, copies + [nil], environ)
        guard code == 0 else { throw SystemError(code: code) }
        return process
    }
}

#if canImport(Darwin)
    private var noSpawnActions: posix_spawn_file_actions_t? { nil }
#else
    // SAFETY: a structure of C that is all zeros is a valid value, which `posix_spawn_file_actions_init` sets.
    private var noSpawnActions: posix_spawn_file_actions_t { unsafe posix_spawn_file_actions_t() }
#endif

/// A pipe whose descriptors no other program inherits.
final class Pipe {
    let readingEnd: Int32
    let writingEnd: Int32
    private var isReadable = true
    private var isWritable = true

    init() throws(SystemError) {
        var ends: [Int32] = [0, 0]
        // SAFETY: the array has the two places that `pipe` fills.
        guard unsafe pipe(&ends) == 0 else { throw SystemError(code: errno) }
        (readingEnd, writingEnd) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    func closeWritingEnd() {
        if isWritable { closeDescriptor(writingEnd) }
        isWritable = false
    }

    func closeReadingEnd() {
        if isReadable { closeDescriptor(readingEnd) }
        isReadable = false
    }

    func close() {
        closeWritingEnd()
        closeReadingEnd()
    }
}

private func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }
