import fc from "fast-check";

/** Which of the servers of the moment is asked, as an index modulo their number. */
interface ToServer {
  readonly server: number;
}

/** Preconditions of a write: none, the version or uid last seen, or a version that was overwritten since. */
export type Condition = "none" | "seen" | "stale" | "uid" | "other-uid";

/** The resourceVersion of a read; "not-older" and "exact" name one that was seen `back` revisions ago. */
export type Wanted = "latest" | "any" | "not-older" | "exact";

/** What is looked at: one resource, all of it or one namespace, all nodes or one. */
export interface Look {
  readonly place: number;
  readonly node: number | undefined;
}

export type Operation = ToServer &
  (
    | {
        readonly do: "create";
        readonly key: number;
        readonly node: number;
        readonly ttl: number;
        readonly dry: boolean;
      }
    | {
        readonly do: "update";
        readonly key: number;
        readonly node: number;
        readonly ttl: number;
        readonly dry: boolean;
        readonly condition: Condition;
        readonly orCreate: boolean;
        /** Turns of the event loop between reading and writing. */
        readonly pause: number;
        /** How many do the same at once. */
        readonly racers: number;
        /** "same": writes back what it read; "delete": the update decides to delete. */
        readonly outcome: "change" | "same" | "delete";
      }
    | {
        readonly do: "delete";
        readonly key: number;
        readonly condition: Condition;
        readonly refuse: boolean;
        readonly dry: boolean;
      }
    | { readonly do: "get"; readonly key: number; readonly wanted: Wanted; readonly back: number }
    | { readonly do: "list"; readonly look: Look; readonly wanted: Wanted; readonly back: number }
    /** Reads the next page of a list, or the first of a new one. */
    | {
        readonly do: "page";
        readonly pager: number;
        readonly limit: number;
        readonly look: Look;
        readonly wanted: Wanted;
        readonly back: number;
      }
    /** Starts a watcher; one that runs breaks first and goes on from where it was, maybe on another server. */
    | {
        readonly do: "watch";
        readonly watcher: number;
        readonly look: Look;
        readonly start: "list" | "initial" | "legacy" | "legacy-any";
        readonly bookmarks: boolean;
      }
    /** The watcher stops reading, or reads on. */
    | { readonly do: "stall"; readonly watcher: number }
  );

/** A server with the watch cache, or one that asks the store every time. */
export type ServerKind = "cached" | "direct";

export interface Restart {
  /** Of the servers and their store. "kill" is SIGKILL to the process that owns the store. */
  readonly kind: "close" | "kill";
  /** It begins when so many operations of the burst were answered. */
  readonly after: number;
  readonly servers: readonly ServerKind[];
}

export type Step =
  /** All operations at once. */
  | { readonly step: "burst"; readonly operations: readonly Operation[]; readonly restart: Restart | undefined }
  | { readonly step: "pass"; readonly seconds: number }
  | { readonly step: "compact"; readonly back: number }
  /** Reads of a revision that does not come. */
  | { readonly step: "future" };

export interface Scenario {
  readonly keys: number;
  /** Events or revisions that the store keeps. */
  readonly history: number;
  /** Bytes of events that the watch cache keeps. */
  readonly cacheBytes: number;
  readonly servers: readonly ServerKind[];
  readonly steps: readonly Step[];
}

export const NODES = 3;
export const WATCHERS = 8;
export const PAGERS = 4;
/** No history is shorter than this many revisions. */
export const SHORTEST_HISTORY = 400;
/** Bytes of the smallest cached history; an event weighs at most {@link EVENT_BYTES}. */
const SMALLEST_CACHE = 448_000;
const EVENT_BYTES = 1120;

/** Revisions that the store and the cache of a scenario surely remember, unless they are told to compact. */
export function surelyKept({ history, cacheBytes }: Scenario): number {
  return Math.min(history, Math.floor(cacheBytes / EVENT_BYTES));
}

/** `arbitrary` once in so many times. */
const seldom = <T>(times: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: times - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const server = fc.nat(5);
const key = fc.nat(999);
const node = fc.nat(NODES - 1);
const back = fc.oneof({ weight: 4, arbitrary: fc.nat(20) }, { weight: 1, arbitrary: fc.nat(600) });
const ttl = fc.oneof(
  { weight: 6, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 90 }) },
);
const dry = fc.nat(19).map((n) => n === 19);
const look = fc.record({ place: fc.nat(5), node: seldom(2, node) });
const condition = fc.oneof(
  { weight: 10, arbitrary: fc.constant<Condition>("none") },
  { weight: 3, arbitrary: fc.constantFrom<Condition>("seen", "stale", "uid", "other-uid") },
);
const wanted = fc.constantFrom<Wanted>("latest", "latest", "any", "not-older", "exact");

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("create" as const), server, key, node, ttl, dry }) },
  {
    weight: 16,
    arbitrary: fc.record({
      do: fc.constant("update" as const),
      server,
      key,
      node,
      ttl,
      dry,
      condition,
      orCreate: fc.nat(3).map((n) => n > 0),
      pause: fc.nat(2),
      racers: fc.constantFrom(1, 1, 1, 2, 4),
      outcome: fc.oneof(
        { weight: 10, arbitrary: fc.constant("change" as const) },
        { weight: 1, arbitrary: fc.constantFrom("same" as const, "delete" as const) },
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("delete" as const),
      server,
      key,
      condition,
      refuse: fc.nat(9).map((n) => n === 9),
      dry,
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("get" as const), server, key, wanted, back }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("list" as const), server, look, wanted, back }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("page" as const),
      server,
      pager: fc.nat(PAGERS - 1),
      limit: fc.integer({ min: 1, max: 12 }),
      look,
      wanted,
      back,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("watch" as const),
      server,
      watcher: fc.nat(WATCHERS - 1),
      look,
      start: fc.constantFrom("list" as const, "initial" as const, "legacy" as const, "legacy-any" as const),
      bookmarks: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("stall" as const), server, watcher: fc.nat(WATCHERS - 1) }),
  },
);

const servers = fc.constantFrom<readonly ServerKind[]>(
  ["cached"],
  ["cached", "cached"],
  ["cached", "direct"],
  ["direct"],
);

const restart = fc.record({
  kind: fc.constantFrom("close" as const, "kill" as const),
  after: fc.nat(40),
  servers,
});

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.record({
      step: fc.constant("burst" as const),
      operations: fc.array(operation, { maxLength: 64, size: "max" }),
      restart: seldom(40, restart),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ step: fc.constant("pass" as const), seconds: fc.constantFrom(1, 20, 61, 301) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ step: fc.constant("compact" as const), back: fc.constantFrom(0, 1, 50, 300) }),
  },
  { weight: 1, arbitrary: fc.constant({ step: "future" as const }) },
);

/** What happens to one store from its making to its end. Shrinks by leaving steps and operations out. */
export const scenarios: fc.Arbitrary<Scenario> = fc.noBias(
  fc.record({
    keys: fc.constantFrom(6, 40, 40, 300),
    history: fc.constantFrom(SHORTEST_HISTORY, 1000, 20_000),
    cacheBytes: fc.constantFrom(SMALLEST_CACHE, 64 * 2 ** 20),
    servers,
    steps: fc.array(step, { maxLength: 200, size: "max" }),
  }),
);
