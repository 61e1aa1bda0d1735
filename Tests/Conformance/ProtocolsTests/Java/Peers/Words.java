// SPDX-License-Identifier: Apache-2.0

import java.nio.charset.StandardCharsets;
import java.util.Scanner;

/** Asks functions of the runtime: each line has a word, and the bytes that it gets. */
final class Words {
    private Words() {}

    public static void main(String[] arguments) throws Exception {
        Scanner input = new Scanner(System.in, "UTF-8");
        while (input.hasNext()) {
            String word = input.next();
            byte[] b = bytes(input.next());
            try {
                System.out.println(answer(word, b));
            } catch (Runtime.WireException error) {
                System.out.println(error.kind);
            }
        }
    }

    private static byte[] bytes(String digits) {
        byte[] b = new byte[digits.length() / 2];
        for (int i = 0; i < b.length; i++) b[i] = (byte) Integer.parseInt(digits.substring(2 * i, 2 * i + 2), 16);
        return b;
    }

    private static String answer(String word, byte[] b) throws Exception {
        Runtime.Reader r = new Runtime.Reader(b, 0, b.length);
        switch (word) {
            case "varint": return Long.toString(r.varint(5, "f"));
            case "zigzag": return Long.toString(r.zigzag(5, "f"));
            case "f16": return Long.toString((long) (r.f16("f") * 16777216));
            case "text":
                StringBuilder text = new StringBuilder();
                for (byte x : r.text(b.length, "f").getBytes(StandardCharsets.UTF_8)) text.append(String.format("%02x", x & 255));
                return text.toString();
            default:
                return Runtime.Checksum.class.getDeclaredMethod(word, byte[].class, int.class, int.class).invoke(null, b, 0, b.length).toString();
        }
    }
}
