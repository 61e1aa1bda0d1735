// SPDX-License-Identifier: Apache-2.0

// A program that translates messages also gets terms.
@_exported public import WirelineErlang
