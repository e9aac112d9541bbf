package wirelab.codecs;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.apache.avro.Schema;
import org.apache.avro.compiler.specific.SpecificCompiler;
import org.apache.avro.generic.GenericData.StringType;

/**
 * Compiles a pack: generates Avro's classes, then compiles all sources. Arguments: source folder,
 * class folder.
 */
public final class PackCompiler {
    private PackCompiler() {}

    public static void main(String[] words) throws IOException {
        Path sources = Path.of(words[0]);
        if (Files.exists(sources.resolve("schema.avsc"))) {
            generateAvro(sources);
        }
        System.exit(compile(sources, words[1]) ? 0 : 1);
    }

    private static void generateAvro(Path sources) throws IOException {
        Path file = sources.resolve("schema.avsc");
        SpecificCompiler compiler = new SpecificCompiler(new Schema.Parser().parse(Files.readString(file)));
        compiler.setStringType(StringType.String);
        compiler.setOutputCharacterEncoding("UTF-8");
        compiler.compileToDestination(file.toFile(), sources.toFile());
    }

    private static boolean compile(Path sources, String classes) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> words = new ArrayList<>(List.of("-d", classes, "-nowarn", "-proc:none", "-g:none", "-Xmaxerrs",
                "5", "-cp", System.getProperty("java.class.path")));
        try (Stream<Path> files = Files.walk(sources)) {
            files.map(Path::toString).filter(name -> name.endsWith(".java")).forEach(words::add);
        }
        new File(classes).mkdirs();
        return compiler.run(null, null, null, words.toArray(String[]::new)) == 0;
    }
}
