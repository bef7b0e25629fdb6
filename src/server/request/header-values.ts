import { headerText } from "../../base/text/header-text.js";
import type { Exchange } from "./exchange.js";

/** The texts of a header's values by its lower-case name, each as the client sent it: one that holds a comma is never cut. */
export type HeaderValues = (header: string) => readonly string[];

export function headerValues(exchange: Exchange): HeaderValues {
  const separate = exchange.separateHeaders?.() ?? {};
  return (header) => {
    const joined = exchange.headers[header];
    return (separate[header] ?? (joined === undefined ? [] : [joined])).map(headerText);
  };
}

/** Decodes the key of a user's extra values in a header name. Invalid percent signs are part of the key. */
export function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
