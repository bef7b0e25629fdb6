import { setTimeout } from "node:timers/promises";
import { PATIENCE } from "./patience.js";

/** Tries until it does not throw; what it threw last, when that takes longer than anything here should. */
export async function eventually<T>(attempt: () => T | Promise<T>, patience = PATIENCE): Promise<T> {
  const end = performance.now() + patience;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > end) throw error;
      await setTimeout(5);
    }
  }
}
