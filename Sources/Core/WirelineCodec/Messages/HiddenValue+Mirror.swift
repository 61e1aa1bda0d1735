// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
    extension HiddenValue: CustomReflectable {
        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
    }
#endif
