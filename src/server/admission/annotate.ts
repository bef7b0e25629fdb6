import type { AdmissionAttributes } from "./attributes.js";

/** Adds an audit annotation if it can be one. A request does not fail because of it. */
export function annotate(attributes: AdmissionAttributes, key: string, value: string): void {
  try {
    attributes.addAnnotation(key, value);
  } catch {
    // The key has no right form, or another value already.
  }
}
