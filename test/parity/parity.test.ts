import { compareSessions } from "./compare-sessions.js";

// Every session; PARITY_SESSION limits them to those with the text in their names.
compareSessions({ executable: true });
