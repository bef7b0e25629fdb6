import type { Printer } from "./printer.js";

/** Paints each object that a printer writes, as a whole. */
export function painted(inner: Printer, paint: ((text: string) => string) | undefined): Printer {
  if (paint === undefined) return inner;
  return {
    ...inner,
    print(object, out) {
      const pieces: string[] = [];
      try {
        inner.print(object, (text) => pieces.push(text));
      } finally {
        if (pieces.length > 0) out(paint(pieces.join("")));
      }
    },
  };
}
