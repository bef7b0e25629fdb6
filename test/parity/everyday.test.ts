import { compareSessions } from "./compare-sessions.js";
import { everyday } from "./everyday.js";

// For `npm test`; first-half and second-half run all sessions.
compareSessions({ names: everyday });
