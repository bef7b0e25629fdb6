import { soon } from "./turns.js";

/** Resolves after every other waiter for the event loop had a turn. */
export const turn = (): Promise<void> => new Promise((resolve) => soon(resolve));
