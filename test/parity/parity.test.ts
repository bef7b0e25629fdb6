import { compareSessions } from "./compare-sessions.js";
import { byExecutable, everyday } from "./everyday.js";

// Every session; PARITY_SESSION limits them to those with the text in their names. With KUBETS_PROGRAM=executable the executable
// runs all of them in the place of bin/kubets.js. Before `npm run test:long`, CI's `npm test` compares the everyday ones.
const { MODE } = (import.meta as unknown as { readonly env: { readonly MODE: string } }).env;
compareSessions({ executable: byExecutable, compared: MODE === "long" ? everyday : [] });
