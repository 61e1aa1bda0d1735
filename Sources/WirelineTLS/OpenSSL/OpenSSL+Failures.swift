// SPDX-License-Identifier: Apache-2.0

/// What OpenSSL's queue of errors says of a call that has failed.
struct Failure {
    /// The library that saw it, as OpenSSL numbers them.
    let library: UInt
    /// Why, in the numbers of that library.
    let code: UInt
    /// The same in words.
    let reason: String
}

extension OpenSSL {
    /// The first error since the queue of this thread was cleared: those behind it say who has passed it on.
    var firstFailure: Failure { failure(errors.first()) }

    /// The last error, which a loop ends with.
    var lastFailure: Failure { failure(errors.last()) }

    private func failure(_ error: UInt) -> Failure {
        let text = unsafe errors.reason(error)
        return Failure(
            library: error >> Constant.libraryShift & Constant.libraryMask, code: error & Constant.reasonMask,
            reason: unsafe text.map { unsafe String(cString: $0) } ?? "unknown error \(error)")
    }
}
