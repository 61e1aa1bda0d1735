// SPDX-License-Identifier: Apache-2.0

// Compressed packets with packets inside.
