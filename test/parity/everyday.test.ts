import { compareSessions } from "./compare-sessions.js";
import { everyday } from "./everyday.js";

// For `npm test`; parity.test.ts runs all sessions.
compareSessions({ names: everyday });
