import { compareSessions } from "./compare-sessions.js";
import { byExecutable, everyday } from "./everyday.js";

/**
 * Every second session, from this one on; PARITY_SESSION limits them to those with the text in their names. With KUBETS_PROGRAM=executable
 * the executable runs all of them in the place of bin/kubets.js. Before `npm run test:long`, CI's `npm test` compares the everyday ones.
 */
export function compareHalf(index: 0 | 1): void {
  const { MODE } = (import.meta as unknown as { readonly env: { readonly MODE: string } }).env;
  compareSessions({
    part: { index, of: 2 },
    executable: byExecutable,
    compared: MODE === "long" ? everyday : [],
  });
}
