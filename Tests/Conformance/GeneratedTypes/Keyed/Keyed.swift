// SPDX-License-Identifier: Apache-2.0

// A cipher that begins when one end has sent a key.
