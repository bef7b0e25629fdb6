import { once, setMaxListeners } from "node:events";
import { settle, settleDeletion, type WaitOutcome } from "../../actions/wait/settle.js";
import { followList, type FollowedItem } from "../../actions/follow/follow-list.js";
import { PODS } from "../../actions/selected-pods.js";
import { actionSurroundings } from "../../actions/surroundings.js";
import { startTimeLimit } from "../../actions/time-limit.js";
import type { Clock } from "../../base/time/clock.js";
import { errorMessage } from "../../base/text/error-message.js";
import { pause } from "../../base/time/pause.js";
import { startStopwatch, type Timers } from "../../base/time/timers.js";
import type { Discovery } from "../../client/discovery/discovery.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { isTransportError } from "../../client/transport/transport-error.js";
import type { Command, Invocation } from "../../cli/command.js";
import { completeTypesAndNames } from "../../cli/completion/resource-completers.js";
import { silentExit, usageError } from "../../cli/errors.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import { canDraw, type FullScreenHost, openFullScreen } from "../../cli/terminal/terminal-screen.js";
import { namedObject, requireOneObject } from "../../cli/object-tree/named-object.js";
import { titleOf } from "../../cli/object-tree/summary.js";
import type { Key } from "../../cli/terminal/terminal-keys.js";
import { type Condition, parseConditions } from "../../cli/wait-conditions/conditions.js";
import { isStatusError, notFound } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { RestMapper, RestMapping } from "../../machinery/rest-mapper.js";
import type { Look } from "../../printers/look.js";
import { type Info, objectName } from "../../resource/info.js";
import { ChangeLines, screenLines } from "./shown-lines.js";
import { LogFollower } from "./follow-logs.js";
import { TreeFollower } from "./follow-tree.js";
import { subjectOf, Watched } from "./watched.js";

export interface WatchOptions {
  /** Where the object is; it is not read. */
  readonly target: () => Promise<Info>;
  readonly client: () => Promise<RestClient>;
  readonly mapper: () => Promise<RestMapper>;
  readonly discovery: () => Promise<Discovery>;
  /** Of --for: each must have held, one after the other. Empty: there is no end. */
  readonly conditions: readonly Condition[];
  /** Milliseconds; undefined for no limit. */
  readonly timeout: number | undefined;
  /** Undefined where stdout cannot be drawn on. */
  readonly terminal: FullScreenHost | undefined;
  readonly look: Look;
  readonly clock: Clock;
  readonly streams: Streams;
  /** From now on the command ends by itself when `signal` aborts. */
  readonly handleSignals: () => void;
  readonly signal: AbortSignal;
}

const EVENTS: RestMapping = {
  resource: { group: "", version: "v1", resource: "events" },
  kind: { group: "", version: "v1", kind: "Event" },
  namespaced: true,
};

/** The command `watch`, which is kubets' own. */
export function watchCommand(run = runWatch): Command {
  return {
    use: "watch TYPE/NAME [--for=condition=available]",
    description: `Watch an object on the whole terminal: what it owns and by whom it is owned, as "{{program}} tree" shows it, the last events about all of that,
and the last lines of what its containers log. It ends by q, by Ctrl-C, or when what --for asks for holds.

Where stdout is no terminal, each change is a line: of an object, an event or a log.`,
    examples: `# A rollout, with its pods, their events and their logs
{{program}} watch deployment/web

# Until it is available, at most two minutes
{{program}} watch deployment/web --for=condition=Available --timeout=2m

# What happens to a job, into a file
{{program}} watch job/import --for=condition=Complete > import.log`,
    flags: [
      {
        name: "for",
        type: "stringArray",
        usage:
          "When to end, written as for wait: [create|delete|condition=condition-name[=condition-value]|jsonpath='{JSONPath expression}'=[JSONPath value]]. Several are waited for one after the other",
      },
      {
        name: "timeout",
        type: "duration",
        default: "0s",
        usage: "How long --for may take, with a unit (5s, 2m, 3h). Then the command ends with code 1. Zero is no limit",
      },
    ],
    execute: async (factory, invocation) => run(complete(factory, invocation)),
    completeArgs: completeTypesAndNames,
  };
}

function complete(factory: Factory, invocation: Invocation): WatchOptions {
  const { args, flags, signal } = invocation;
  requireOneObject(invocation);
  const texts = flags.strings("for");
  const timeout = flags.duration("timeout");
  if (timeout < 0) throw usageError(invocation, "--timeout must not be less than zero");
  if (timeout > 0 && texts.length === 0) {
    throw usageError(invocation, "--timeout is the time that --for may take: say with --for what to wait for");
  }
  return {
    target: () => namedObject(factory, args, false),
    client: factory.restClient,
    mapper: factory.mapper,
    discovery: factory.discovery,
    conditions: texts.length === 0 ? [] : parseConditions(texts),
    timeout: timeout === 0 ? undefined : timeout,
    terminal: canDraw(factory) ? factory : undefined,
    look: factory.look,
    clock: factory.clock,
    streams: factory.streams,
    handleSignals: invocation.handleSignals,
    signal,
  };
}

/** How a user ends it. */
type Left = "quit" | "interrupted";

/** What shows the object: a screen, or a line for each change. */
interface Display {
  changed(): void;
  /** Settles when the user leaves; undefined where there are no keys. */
  readonly left: Promise<Left> | undefined;
  close(): void;
}

/** Watches until the user, a signal, a condition or the time limit ends it. It restores the terminal before it writes anything else. */
export async function runWatch(options: WatchOptions): Promise<void> {
  const { conditions, signal } = options;
  const { timers } = actionSurroundings({});
  const stop = new AbortController();
  const ending = AbortSignal.any([signal, stop.signal]);
  // Each request that is under way listens.
  setMaxListeners(0, ending);
  const target = await options.target();
  const client = await options.client();
  let display: Display | undefined;
  const watched = new Watched(() => display?.changed());
  // What the server says beside its answers has its place on the screen.
  client.onWarning = (text) => watched.note(text);
  client.onBrokenWatch = () => undefined;
  const [mapper, discovery] = [await options.mapper(), await options.discovery()];
  const tree = new TreeFollower({ target, client, mapper, discovery, timers, startStopwatch, signal: ending }, watched);
  const mayBeMissing = conditions.some(({ type }) => type !== "holds");
  if (!(await tree.look()) && !mayBeMissing) throw notFound(target.mapping.resource, target.name);
  const around: Surroundings = { target, client, timers, tree, watched, ending };
  const logs = new LogFollower(
    { client, timers, signal: ending, ready: () => drained(options.streams.out, ending) },
    watched,
  );
  const works: Promise<unknown>[] = [];
  try {
    options.handleSignals();
    display = openDisplay(options, around);
    display.changed();
    works.push(
      tree.follow(ending, () => logs.update()),
      followEvents(around),
      followPods(around, logs),
    );
    const end = await Promise.race([
      untilSettled(options, around),
      ...(display.left === undefined ? [] : [display.left]),
      aborted(signal),
      ...works.map(failureOf),
    ]);
    signal.throwIfAborted();
    display.close();
    conclude(end, options, target);
  } finally {
    stop.abort();
    display?.close();
    await Promise.allSettled(works);
  }
}

interface Surroundings {
  readonly target: Info;
  readonly client: RestClient;
  readonly timers: Timers;
  readonly tree: TreeFollower;
  readonly watched: Watched;
  /** Aborts at the end. */
  readonly ending: AbortSignal;
}

function conclude(end: Left | WaitOutcome, { conditions, streams }: WatchOptions, target: Info): void {
  if (end === "interrupted") throw silentExit(130);
  if (end === "quit") {
    // What was waited for does not hold.
    if (conditions.length > 0) throw silentExit();
    return;
  }
  if (end.type === "notFound") throw end.error;
  if (end.type !== "met") throw new Error(`timed out waiting for the condition on ${objectName(target)}`);
  streams.out.write(`${titleOf(target.mapping.kind, target.name)} condition met\n`);
}

/** Rejects when `work` fails; its end is that of the command. */
const failureOf = (work: Promise<unknown>): Promise<never> => work.then(() => new Promise<never>(() => undefined));

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });

/** Without conditions it never settles. */
async function untilSettled(
  { conditions, timeout }: WatchOptions,
  { target, client, timers, watched, ending }: Surroundings,
): Promise<WaitOutcome> {
  const [first] = conditions;
  if (first === undefined) return new Promise(() => undefined);
  const seen = (object: KubeObject): void => {
    // Of several the first that does not hold yet.
    const next = conditions.find((condition) => !holdsNow(condition, object)) ?? first;
    watched.set({ awaited: next.state(object) });
  };
  const limit = startTimeLimit(timers, timeout, ending);
  const context = { rest: client, timers, deadline: limit.deadline, once: false, seen };
  try {
    if (conditions.length === 1 && first.type === "deleted") return await settleDeletion(target, context);
    return await settle(target, { wanted: conditions, any: false, failing: [] }, context);
  } finally {
    limit.end();
  }
}

/** What a check throws, the wait throws too. */
function holdsNow(condition: Condition, object: KubeObject): boolean {
  if (condition.type !== "holds") return condition.type === "created";
  try {
    return condition.check(object);
  } catch {
    return false;
  }
}

function openDisplay(
  { terminal, look, clock, streams }: WatchOptions,
  { target, watched, ending }: Surroundings,
): Display {
  if (terminal === undefined) {
    const lines = new ChangeLines(
      (line) => void streams.out.write(line),
      (line) => void streams.err.write(line),
    );
    return { changed: () => lines.show(watched), left: undefined, close: () => undefined };
  }
  const { screen, keys, close } = openFullScreen(terminal, ending);
  const view = {
    title: titleOf(target.mapping.kind, target.name),
    namespace: target.namespace,
    footer: keys === undefined ? "Ctrl-C leaves" : "q leaves",
    look,
  };
  screen.show((size) => screenLines(watched, { ...view, now: clock.now() }, size));
  const redraw = new Redraw(() => screen.draw());
  return {
    changed: () => redraw.soon(),
    left: keys && leftBy(keys),
    close: () => {
      redraw.end();
      close();
    },
  };
}

async function leftBy(keys: AsyncGenerator<Key, void>): Promise<Left> {
  for await (const key of keys) {
    if (key.name === "interrupt") return "interrupted";
    if (key.name === "end" || (key.name === "text" && key.text === "q")) return "quit";
  }
  // The terminal is gone, or given back.
  return "quit";
}

/** Milliseconds: between a change and its drawing, and between drawings without a change, for ages. */
const SOON = 50;
const AGES = 1000;
/** Milliseconds until a server is asked again for a list that it has not answered. */
const AGAIN = 2000;

/** Draws once for changes that come together, and each second. */
class Redraw {
  readonly #draw: () => void;
  readonly #ages: NodeJS.Timeout;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(draw: () => void) {
    this.#draw = draw;
    this.#ages = setInterval(draw, AGES);
  }

  soon(): void {
    if (this.#ended) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#draw();
    }, SOON);
  }

  end(): void {
    clearInterval(this.#ages);
    clearTimeout(this.#timer);
    this.#ended = true;
  }
}

/** Resolves once the stream takes more, or has come to its end. */
async function drained(out: Streams["out"], signal: AbortSignal): Promise<void> {
  if (out.writableNeedDrain) await once(out, "drain", { signal }).catch(() => undefined);
}

async function followEvents(around: Surroundings): Promise<void> {
  const { tree, watched } = around;
  await follow("events", EVENTS, around, ({ object, first, deleted }) => {
    watched.takeEvent(object, deleted);
    if (!first && watched.holds(subjectOf(object))) tree.changed();
  });
}

async function followPods(around: Surroundings, logs: LogFollower): Promise<void> {
  const { tree, watched } = around;
  await follow("pods", PODS, around, ({ object, first, deleted }) => {
    logs.takePod(object, deleted);
    const { uid = "", ownerReferences = [] } = object.metadata ?? {};
    const belongs = [uid, ...ownerReferences.map((owner) => owner.uid)].some((one) => watched.holds(one));
    if (!first && belongs) tree.changed();
  });
  await logs.ended();
}

/** Objects that may not be listed are noted, and the rest goes on. A server that cannot be asked is asked again. */
async function follow(
  what: string,
  mapping: RestMapping,
  { target, client, timers, watched, ending }: Surroundings,
  take: (item: FollowedItem) => void,
): Promise<void> {
  while (!ending.aborted) {
    try {
      for await (const item of followList(client, mapping, { namespace: target.namespace }, ending)) take(item);
    } catch (error) {
      if (ending.aborted) return;
      if (isStatusError(error)) return watched.note(`${what} (${errorMessage(error)})`);
      if (!isTransportError(error)) throw error;
    }
    await pause(timers, AGAIN, ending);
  }
}
