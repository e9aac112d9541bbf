package wirelab.peers;

import java.io.File;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Versions of the libraries in use. */
final class Versions {
    private Versions() {}

    /** The version in the name of an artifact's jar beside ours, "" if it is not there. */
    static String of(String artifact) {
        File own = new File(Versions.class.getProtectionDomain().getCodeSource().getLocation().getPath());
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
