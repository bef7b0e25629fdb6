import { expect, it } from "vitest";
import { claimSchemaEpoch, SCHEMA_EPOCHS_PREFIX } from "../../../src/server/storage/schema-epochs.js";
import { openMemoryKv } from "../../../src/server/storage/memory/memory-kv.js";

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));

it("a new store is all of the epoch that claims it first, and stays so", async () => {
  const kv = openMemoryKv({});
  expect(await claimSchemaEpoch(kv, "a")).toBe(true);
  await kv.create("/registry/pods/default/p", bytes({}));
  expect(await claimSchemaEpoch(kv, "a")).toBe(true);
});

it("once two epochs have written, nobody can trust what is stored", async () => {
  const kv = openMemoryKv({});
  await claimSchemaEpoch(kv, "a");
  expect(await claimSchemaEpoch(kv, "b")).toBe(false);
  expect(await claimSchemaEpoch(kv, "a")).toBe(false);
  expect(await claimSchemaEpoch(kv, "b")).toBe(false);
});

it("objects that nobody claims are somebody else's", async () => {
  const kv = openMemoryKv({});
  await kv.create("/registry/pods/default/p", bytes({}));
  expect(await claimSchemaEpoch(kv, "a")).toBe(false);
  expect(await claimSchemaEpoch(kv, "a")).toBe(false);
});

it("an entry that cannot be read is trusted by nobody", async () => {
  const kv = openMemoryKv({});
  await kv.create(`${SCHEMA_EPOCHS_PREFIX}written`, Buffer.from("{"));
  expect(await claimSchemaEpoch(kv, "a")).toBe(false);
});

it("of two servers that claim a new store at once both are heard", async () => {
  const kv = openMemoryKv({});
  const answers = await Promise.all([claimSchemaEpoch(kv, "a"), claimSchemaEpoch(kv, "b")]);
  expect(answers.filter(Boolean).length).toBeLessThanOrEqual(1);
  expect(await claimSchemaEpoch(kv, "a")).toBe(false);
});
