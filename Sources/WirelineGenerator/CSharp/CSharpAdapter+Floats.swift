// SPDX-License-Identifier: Apache-2.0

extension CSharpAdapter {
    /// Floats to text and back, exactly: Mono's own parser and printer are sometimes one unit off.
    ///
    /// A `Big` is a whole number of any size, with 32 bits in each part, the lowest first.
    static let floats = #"""
        private sealed class Big {
            private readonly System.Collections.Generic.List<uint> parts = new System.Collections.Generic.List<uint>();

            internal bool IsZero { get { return parts.Count == 0; } }

            /// <summary>this * factor + addend</summary>
            internal Big Scale(uint factor, uint addend = 0) {
                ulong carry = addend;
                for (int i = 0; i < parts.Count; i++) {
                    carry += (ulong)parts[i] * factor;
                    parts[i] = (uint)carry;
                    carry >>= 32;
                }
                if (carry > 0) parts.Add((uint)carry);
                return this;
            }

            /// <summary>Divides by a number, and returns the remainder.</summary>
            internal uint Divide(uint divisor) {
                ulong rest = 0;
                for (int i = parts.Count - 1; i >= 0; i--) {
                    rest = rest << 32 | parts[i];
                    parts[i] = (uint)(rest / divisor);
                    rest %= divisor;
                }
                Trim();
                return (uint)rest;
            }

            internal int CompareTo(Big other) {
                if (parts.Count != other.parts.Count) return parts.Count.CompareTo(other.parts.Count);
                int i = parts.Count - 1;
                while (i >= 0 && parts[i] == other.parts[i]) i--;
                return i < 0 ? 0 : parts[i].CompareTo(other.parts[i]);
            }

            internal void Subtract(Big other) {
                long carry = 0;
                for (int i = 0; i < parts.Count; i++) {
                    carry += (long)parts[i] - (i < other.parts.Count ? other.parts[i] : 0);
                    parts[i] = (uint)carry;
                    carry >>= 32;
                }
                Trim();
            }

            private void Trim() { while (parts.Count > 0 && parts[parts.Count - 1] == 0) parts.RemoveAt(parts.Count - 1); }
        }

        private static double Float(string word) {
            bool isNegative = word[0] == '-';
            int mark = word.IndexOfAny(new[] { 'e', 'E' });
            int exponent = mark < 0 ? 0 : int.Parse(word.Substring(mark + 1), System.Globalization.CultureInfo.InvariantCulture);
            Big above = new Big(), below = new Big().Scale(1, 1);
            bool isFraction = false;
            foreach (char c in mark < 0 ? word : word.Substring(0, mark)) {
                if (c == '.') isFraction = true;
                if (c < '0' || c > '9') continue;
                above.Scale(10, (uint)(c - '0'));
                if (isFraction) exponent--;
            }
            double result = 0;
            if (!above.IsZero && exponent > -1500) result = Nearest(above, below, exponent);
            return isNegative ? -result : result;
        }

        // The float that is nearest to above / below * 10 to the exponent.
        private static double Nearest(Big above, Big below, int exponent) {
            if (exponent > 400) return double.PositiveInfinity;
            for (; exponent > 0; exponent--) above.Scale(10);
            for (; exponent < 0; exponent++) below.Scale(10);
            int power = 0;
            for (; above.CompareTo(below) >= 0; power++) below.Scale(2);
            for (; above.CompareTo(below) < 0; power--) above.Scale(2);
            if (power > 1023) return double.PositiveInfinity;
            // Below 2 to the -1022, a float has fewer bits.
            int bitCount = System.Math.Min(53, power + 1075);
            if (bitCount < 0) return 0;
            long digits = 0;
            for (int i = 0; i < bitCount; i++) {
                digits *= 2;
                if (above.CompareTo(below) >= 0) {
                    above.Subtract(below);
                    digits++;
                }
                above.Scale(2);
            }
            int rest = above.CompareTo(below);
            if (rest > 0 || rest == 0 && digits % 2 == 1) digits++;
            long biased = bitCount == 53 ? (long)(power + 1022) << 52 : 0;
            return System.BitConverter.Int64BitsToDouble(biased + digits);
        }

        // All digits that a float has.
        private static string Digits(double v) {
            long bits = System.BitConverter.DoubleToInt64Bits(v);
            int biased = (int)(bits >> 52 & 0x7FF);
            ulong digits = (ulong)bits & 0xFFFFFFFFFFFFF | (biased > 0 ? 0x10000000000000UL : 0);
            if (digits == 0) return bits < 0 ? "-0.0" : "0.0";
            int power = System.Math.Max(biased, 1) - 1075, exponent = 0;
            for (; digits % 2 == 0; power++) digits /= 2;
            Big number = new Big().Scale(1, (uint)(digits >> 32)).Scale(65536).Scale(65536, (uint)digits);
            for (; power > 0; power--) number.Scale(2);
            for (; power < 0; power++, exponent--) number.Scale(5);
            string text = "";
            while (!number.IsZero) text = number.Divide(10) + text;
            return (bits < 0 ? "-" : "") + text + "E" + exponent;
        }
        """#
}
