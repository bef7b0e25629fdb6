import { type Look, plainLook } from "./look.js";
import type { Printer } from "./printer.js";
import { TabWriter } from "./tab-writer.js";

/** Wraps a printer of tab-separated cells so that its columns are aligned, for each object separately. */
export function aligned(inner: Printer, { measure, fit }: Look = plainLook): Printer {
  return {
    print(object, out) {
      const writer = new TabWriter(out, { measure, fit });
      try {
        inner.print(object, writer.write);
      } finally {
        writer.flush();
      }
    },
  };
}
