import { soon } from "./turns.js";

/** Resolves in a later turn of the event loop, after all callbacks that are waiting now. */
export const turn = (): Promise<void> => new Promise((resolve) => soon(resolve));
