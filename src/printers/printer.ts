import type { KubeObject } from "../machinery/meta/object.js";

/** Writes one object (or list, or Table) as a user sees it. Called once per object, in order; `end` once after the last. */
export interface Printer {
  print(object: KubeObject, out: (text: string) => void): void;
  end?(out: (text: string) => void): void;
}
