import { compareSessions } from "./compare-sessions.js";
import { everyday } from "./everyday.js";

// Every session; PARITY_SESSION limits them to those with the text in their names. With KUBETS_PROGRAM=executable the executable
// runs all of them in the place of bin/kubets.js.
compareSessions({ executable: everyday });
