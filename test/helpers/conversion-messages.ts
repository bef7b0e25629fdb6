import { expect, test } from "vitest";
import { converted, deepFreeze, type FailingRow } from "./conversion-rows.js";

/** A test for each row: the conversion throws with exactly this message. */
export function testMessages(rows: readonly FailingRow[]): void {
  test.each(rows)("%s (%s, %s to %s)", (_, kind, from, to, input, message) => {
    const source = deepFreeze({ apiVersion: from, kind, ...input });
    expect(() => converted(source, to)).toThrow(expect.objectContaining({ message }));
  });
}
