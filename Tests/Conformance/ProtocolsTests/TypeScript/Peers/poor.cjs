// SPDX-License-Identifier: Apache-2.0

// What mini-games lack. Node itself keeps its own.
delete globalThis.TextDecoder;
delete globalThis.TextEncoder;
