import { describe, test } from "vitest";
import type { Clock } from "../../src/base/time/clock.js";
import type { Timers } from "../../src/base/time/timers.js";
import type { Kv } from "../../src/server/storage/kv.js";
import { type StorageUnderTest, storageTests } from "../../src/server/storage/storage-tests.js";

/** A storage of ours, which needs of its surroundings only the time. */
export interface KvUnderTest extends Omit<StorageUnderTest, "open"> {
  open(time: { readonly clock: Clock; readonly timers: Timers }): Promise<Kv>;
}

/** What users' own storages are tried with, as tests of vitest. */
export function kvSuite(name: string, makeSubject: () => KvUnderTest): void {
  describe(`key-value storage: ${name}`, () => {
    for (const { title, run } of storageTests(makeSubject)) test(title, run);
  });
}
