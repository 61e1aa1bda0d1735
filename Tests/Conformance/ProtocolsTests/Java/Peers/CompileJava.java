// SPDX-License-Identifier: Apache-2.0

import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.tools.ToolProvider;

/** Compiles the files of each folder into the folder. One compiler does all of them, because each takes long to begin. */
public class CompileJava {
    public static void main(String[] folders) {
        for (String folder : folders) {
            List<String> arguments = new ArrayList<>(Arrays.asList("--release", "8", "-Xlint:all", "-Werror", "-d", folder));
            for (File file : new File(folder).listFiles()) if (file.getName().endsWith(".java")) arguments.add(file.getPath());
            int status = ToolProvider.getSystemJavaCompiler().run(null, System.out, System.out, arguments.toArray(new String[0]));
            if (status != 0) System.out.println(folder + ": not compiled");
        }
    }
}
