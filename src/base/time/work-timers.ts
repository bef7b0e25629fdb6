import type { Timers } from "./timers.js";

/**
 * Timers that keep the process alive until they fire or are cancelled. For work that must go on: what waits for its server to
 * come back holds no socket, and Node would end its process.
 */
export const workTimers: Timers = {
  start(milliseconds, callback) {
    // Longer waits overflow Node's timers and would fire at once.
    const timer = setTimeout(callback, Math.min(milliseconds, 2 ** 31 - 1));
    return () => clearTimeout(timer);
  },
};
