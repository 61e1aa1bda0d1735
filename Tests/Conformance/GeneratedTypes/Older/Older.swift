// SPDX-License-Identifier: Apache-2.0

// The first release of a protocol; `Newer` is a later one.
