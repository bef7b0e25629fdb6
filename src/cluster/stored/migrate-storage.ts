import { errorMessage } from "../../base/text/error-message.js";
import { compareKeys } from "../../base/collections/key-order.js";
import type { KeyValue, Kv, RestoredItem } from "../../server/storage/kv.js";
import { encodeMigration, SCHEMA_EPOCHS_KEY, unfinishedMigration } from "../../server/storage/schema-epochs.js";
import type { Surroundings } from "../named/manage.js";
import { readPages, ROOT } from "./pages.js";
import { StoredError, withStoredErrors } from "./stored-error.js";
import { type NamedStorage, openExisting, openOrMake, type OpenOptions, requireUnserved } from "./storage-place.js";
import { compareStorages } from "./compare-storages.js";

export interface MigrateOptions extends Surroundings, OpenOptions {
  /** Called after each page. */
  readonly onProgress: (progress: MigrationProgress) => void;
}

export interface MigrationProgress {
  readonly step: "copied" | "compared";
  readonly keys: number;
  /** How many keys there are. */
  readonly all: number;
}

export interface MigratedStorage {
  readonly keys: number;
  readonly bytes: number;
  /** Why the keys have other revisions in the target; undefined where every key has the revision that it had in the source. */
  readonly newRevisions: string | undefined;
  /** Whether an earlier run had copied a part. */
  readonly resumed: boolean;
}

/** The keys of a migration, which both storages have open. */
interface Migration {
  readonly source: Kv;
  readonly target: Kv;
  readonly to: NamedStorage;
  readonly plan: Plan;
  /** When keys of the source expire, by key, in milliseconds since the epoch. */
  readonly expires: ReadonlyMap<string, number>;
  readonly resumed: boolean;
  readonly options: MigrateOptions;
}

interface Plan {
  readonly keys: number;
  /** The revision of the source. */
  readonly revision: number;
  readonly keepsRevisions: boolean;
}

/**
 * Copies every key of one storage into an empty one, and compares both in the end. A run that was interrupted leaves a record in the target,
 * from which the same call goes on, and with which no server starts. The source stays as it is. Throws a {@link StoredError}.
 */
export const migrateStorage = (
  from: NamedStorage,
  to: NamedStorage,
  options: MigrateOptions,
): Promise<MigratedStorage> =>
  withStoredErrors(async () => {
    if (from.name === to.name) throw new StoredError(`${from.name} is both the source and the target`);
    for (const storage of [from, to]) await requireUnserved(storage, options);
    const source = await openExisting(from, options);
    try {
      return await copyInto(source, from, to, options);
    } finally {
      await source.close();
    }
  });

async function copyInto(
  source: Kv,
  from: NamedStorage,
  to: NamedStorage,
  options: MigrateOptions,
): Promise<MigratedStorage> {
  let target = await openOrMake(to, options);
  try {
    const begun = await begunMigration(target, from, to);
    const plan = await makePlan(source, from, begun?.keepsRevisions ?? target.restore !== undefined);
    const expires = await expiryOf(source, from, options);
    const resumed = begun !== undefined;
    const migration = { source, target, to, plan, expires, resumed, options };
    await markBegin(migration, encodeMigration({ source: from.name, keepsRevisions: plan.keepsRevisions }));
    await copyKeys(migration);
    // Keys that were taken over with their revisions are seen when the storage is opened anew.
    await target.close();
    target = await openOrMake(to, options);
    const compared = await compareStorages(source, target, { expires, options, all: plan.keys });
    await markEnd({ ...migration, target });
    return { ...compared, newRevisions: newRevisions(plan, target, from, to), resumed };
  } finally {
    await target.close();
  }
}

function newRevisions({ keepsRevisions }: Plan, target: Kv, from: NamedStorage, to: NamedStorage): string | undefined {
  if (keepsRevisions) return undefined;
  return target.restore === undefined
    ? `${to.name} gives every write a revision of its own`
    : `${from.name} has several keys at one revision`;
}

/** What an interrupted run has begun in the target; undefined for an empty one. Throws for a target with other keys. */
async function begunMigration(target: Kv, from: NamedStorage, to: NamedStorage) {
  const { kv: record } = await target.get(SCHEMA_EPOCHS_KEY);
  const begun = record && unfinishedMigration(record.value);
  if (begun !== undefined) {
    if (begun.source === from.name) return begun;
    throw new StoredError(
      `${to.name} holds a part of ${begun.source}; go on with --from=${begun.source}, or use an empty storage`,
    );
  }
  const { items, remaining } = await target.list(ROOT, { limit: 1 });
  const [first] = items;
  if (first === undefined) return undefined;
  throw new StoredError(
    `${to.name} is not empty: it holds ${items.length + remaining} keys, such as ${first.key}; use an empty storage`,
  );
}

/** Reads all keys of the source once. */
async function makePlan(source: Kv, from: NamedStorage, mayKeepRevisions: boolean): Promise<Plan> {
  const pages = readPages(source);
  const revisions = new Set<number>();
  let keys = 0;
  for await (const page of pages) {
    for (const { key, value, revision } of page) {
      if (key === SCHEMA_EPOCHS_KEY && unfinishedMigration(value) !== undefined) {
        throw new StoredError(`${from.name} holds only a part of another storage, whose migration did not end`);
      }
      if (mayKeepRevisions) revisions.add(revision);
      keys += 1;
    }
  }
  if (keys === 0) throw new StoredError(`${from.name} holds no keys`);
  // A transaction of etcd may write several keys at one revision, and files have one for all keys after a restart.
  return { keys, revision: pages.revision, keepsRevisions: mayKeepRevisions && revisions.size === keys };
}

async function expiryOf(
  source: Kv,
  from: NamedStorage,
  { warn }: MigrateOptions,
): Promise<ReadonlyMap<string, number>> {
  if (source.expiring === undefined) {
    warn(`${from.name} does not tell when its keys expire: no copied key does, events included`);
    return new Map();
  }
  return new Map((await source.expiring()).map(({ key, at }) => [key, at]));
}

/** The record of a migration is later than all keys that are copied. */
const headOf = ({ revision }: Plan): number => revision + 1;

async function markBegin({ target, plan, resumed }: Migration, record: Uint8Array): Promise<void> {
  const revision = headOf(plan);
  if (plan.keepsRevisions) {
    const item = { key: SCHEMA_EPOCHS_KEY, value: record, revision, createRevision: revision };
    await target.restore?.({ revision, items: [item], removed: [] });
  } else if (!resumed) await target.create(SCHEMA_EPOCHS_KEY, record);
}

/** The source's record of schema epochs, if it has one, takes the place of the migration's. */
async function markEnd({ source, target, plan }: Migration): Promise<void> {
  const { kv: epochs } = await source.get(SCHEMA_EPOCHS_KEY);
  if (plan.keepsRevisions) {
    const items = epochs === undefined ? [] : [epochs];
    await target.restore?.({ revision: headOf(plan), items, removed: [SCHEMA_EPOCHS_KEY] });
    return;
  }
  const revision = (await target.get(SCHEMA_EPOCHS_KEY)).kv?.revision ?? 0;
  await (epochs === undefined
    ? target.delete(SCHEMA_EPOCHS_KEY, revision)
    : target.update(SCHEMA_EPOCHS_KEY, epochs.value, revision));
}

/** Makes the target's keys those of the source, page by page. */
async function copyKeys(migration: Migration): Promise<void> {
  const { source, plan, options } = migration;
  let keys = 0;
  let after: string | undefined;
  for await (const page of readPages(source, ROOT, plan.revision)) {
    options.signal?.throwIfAborted();
    const last = page.at(-1)?.key;
    await copyPage(migration, page, await copiedKeys(migration, after, last));
    after = last;
    keys += page.length;
    options.onProgress({ step: "copied", keys, all: plan.keys });
  }
  await copyPage(migration, [], await copiedKeys(migration, after, undefined));
}

/** What an earlier run has copied of the keys after `after`, up to `last`. */
async function copiedKeys(
  { target, resumed }: Migration,
  after: string | undefined,
  last: string | undefined,
): Promise<Map<string, KeyValue>> {
  const copied = new Map<string, KeyValue>();
  let startAfter = after;
  while (resumed) {
    const page = await target.list(ROOT, { limit: 500, ...(startAfter !== undefined && { startAfter }) });
    for (const item of page.items) {
      if (last !== undefined && compareKeys(item.key, last) > 0) return copied;
      if (item.key !== SCHEMA_EPOCHS_KEY) copied.set(item.key, item);
    }
    startAfter = page.items.at(-1)?.key;
    if (page.remaining === 0 || startAfter === undefined) break;
  }
  return copied;
}

async function copyPage(migration: Migration, page: readonly KeyValue[], copied: Map<string, KeyValue>): Promise<void> {
  const { target, plan, expires, options } = migration;
  const { keepsRevisions } = plan;
  const now = options.clock.now();
  const changed: KeyValue[] = [];
  for (const item of page) {
    if (item.key === SCHEMA_EPOCHS_KEY || (expires.get(item.key) ?? Number.POSITIVE_INFINITY) <= now) continue;
    const before = copied.get(item.key);
    const isSame =
      before !== undefined &&
      Buffer.compare(before.value, item.value) === 0 &&
      (!keepsRevisions || (before.revision === item.revision && before.createRevision === item.createRevision));
    if (!isSame) changed.push(item);
    else copied.delete(item.key);
  }
  const written = new Set(changed.map(({ key }) => key));
  const removed = [...copied.values()].filter(({ key }) => !written.has(key));
  if (changed.length + removed.length === 0) return;
  if (keepsRevisions) {
    const items = changed.map((item): RestoredItem => {
      const expiresAt = expires.get(item.key);
      return expiresAt === undefined ? item : { ...item, expiresAt: Math.ceil(expiresAt) };
    });
    await target.restore?.({ revision: headOf(plan), items, removed: removed.map(({ key }) => key) });
    return;
  }
  await Promise.all(removed.map(({ key, revision }) => target.delete(key, revision)));
  await Promise.all(changed.map((item) => writeKey(migration, item, copied.get(item.key), now)));
}

async function writeKey(
  { target, expires, to }: Migration,
  { key, value }: KeyValue,
  before: KeyValue | undefined,
  now: number,
): Promise<void> {
  const at = expires.get(key);
  const options = at === undefined ? {} : { ttlSeconds: Math.max(1, Math.ceil((at - now) / 1000)) };
  try {
    await (before === undefined
      ? target.create(key, value, options)
      : target.update(key, value, before.revision, options));
  } catch (error) {
    throw new StoredError(`cannot write ${key} to ${to.name}: ${errorMessage(error)}`, { cause: error });
  }
}
