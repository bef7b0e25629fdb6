import { soon } from "./turns.js";

/** Resolves after everybody else who waits for the event loop had a turn. */
export const turn = (): Promise<void> => new Promise((resolve) => soon(resolve));
