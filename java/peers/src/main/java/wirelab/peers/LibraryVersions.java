package wirelab.peers;

import java.io.File;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Versions of the client libraries. */
final class LibraryVersions {
    private LibraryVersions() {}

    /** The version in the name of an artifact's jar in `lib`, "" if there is no such jar. */
    static String find(String artifact) {
        File own = new File(LibraryVersions.class.getProtectionDomain().getCodeSource().getLocation().getPath());
        String[] jars = new File(own.getParentFile(), "lib").list();
        Pattern name = Pattern.compile(Pattern.quote(artifact) + "-(\\d.*)\\.jar");
        for (String jar : jars == null ? new String[0] : jars) {
            Matcher matcher = name.matcher(jar);
            if (matcher.matches()) {
                return matcher.group(1);
            }
        }
        return "";
    }
}
