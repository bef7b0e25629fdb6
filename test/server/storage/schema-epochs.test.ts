import { expect, it } from "vitest";
import { claimSchemaEpoch, SCHEMA_EPOCHS_PREFIX } from "../../../src/server/storage/schema-epochs.js";
import { openMemoryKv } from "../../../src/server/storage/memory/memory-kv.js";

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));

it("a new storage is marked with the schema epoch of its first server, and stays so", async () => {
  const kv = openMemoryKv({});
  expect(await claimSchemaEpoch(kv, "a")).toBe(true);
  await kv.create("/registry/pods/default/p", bytes({}));
  expect(await claimSchemaEpoch(kv, "a")).toBe(true);
});

it("once servers of two schema epochs have written, no server treats stored objects as current", async () => {
  const kv = openMemoryKv({});
  await claimSchemaEpoch(kv, "a");
  expect(await claimSchemaEpoch(kv, "b")).toBe(false);
  expect(await claimSchemaEpoch(kv, "a")).toBe(false);
  expect(await claimSchemaEpoch(kv, "b")).toBe(false);
});

it("stored objects without a schema epoch count as written by another program", async () => {
  const kv = openMemoryKv({});
  await kv.create("/registry/pods/default/p", bytes({}));
  expect(await claimSchemaEpoch(kv, "a")).toBe(false);
  expect(await claimSchemaEpoch(kv, "a")).toBe(false);
});

it("a schema epoch entry that cannot be read makes no server treat stored objects as current", async () => {
  const kv = openMemoryKv({});
  await kv.create(`${SCHEMA_EPOCHS_PREFIX}written`, Buffer.from("{"));
  expect(await claimSchemaEpoch(kv, "a")).toBe(false);
});

it("when two servers mark a new storage at once, both schema epochs are recorded", async () => {
  const kv = openMemoryKv({});
  const answers = await Promise.all([claimSchemaEpoch(kv, "a"), claimSchemaEpoch(kv, "b")]);
  expect(answers.filter(Boolean).length).toBeLessThanOrEqual(1);
  expect(await claimSchemaEpoch(kv, "a")).toBe(false);
});
