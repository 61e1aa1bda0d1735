// SPDX-License-Identifier: Apache-2.0

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;

/** Runs programs one after another. Each line of input is one: what it reads, what it writes, its class and its arguments, with tabs between. */
public class Each {
    public static void main(String[] none) throws Exception {
        BufferedReader list = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        for (String line; (line = list.readLine()) != null;) {
            String[] words = line.split("\t");
            try (FileInputStream input = new FileInputStream(words[0]);
                    PrintStream output = new PrintStream(new FileOutputStream(words[1]), false, "UTF-8")) {
                System.setIn(input);
                System.setOut(output);
                String[] arguments = Arrays.copyOfRange(words, 3, words.length);
                try {
                    Class.forName(words[2]).getMethod("main", String[].class).invoke(null, (Object) arguments);
                } catch (InvocationTargetException failure) {
                    failure.getCause().printStackTrace(output);
                }
            }
        }
    }
}
