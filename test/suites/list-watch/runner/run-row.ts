import { expect } from "vitest";
import type { KubeObject } from "../../../../src/machinery/meta/object.js";
import { type Answer, call } from "../../../helpers/api-caller.js";
import { EventStream, type SeenEvent } from "./event-stream.js";
import type {
  ByMode,
  EventsStep,
  ListOutcome,
  Mode,
  Outcome,
  RefusalOutcome,
  RequestStep,
  Row,
  WatchStep,
  WriteStep,
} from "./row.js";
import type { ServerUnderTest } from "./server-under-test.js";

type PlainOutcome = Exclude<Outcome, (...args: never) => unknown>;

const JSON_TYPE = { accept: "application/json" };
const MERGE_PATCH = "application/merge-patch+json";

/** Takes the steps of `row`, in a namespace of its own. */
export async function runRow(row: Row, server: ServerUnderTest, mode: Mode, namespace: string): Promise<void> {
  const run = new Run(server, mode, namespace);
  try {
    await run.begin();
    for (const step of row.steps) {
      switch (step.do) {
        case "write":
          await run.write(step);
          break;
        case "request":
          await run.request(step);
          break;
        case "watch":
          await run.watch(step);
          break;
        case "events":
          await run.events(step);
          break;
        case "pass":
          await run.caughtUp();
          await settle();
          server.time.pass(step.milliseconds);
          break;
        case "compact":
          await run.caughtUp();
          await server.kv.compact(Number(await run.resolve(step.revision)));
      }
    }
  } finally {
    await run.end();
  }
}

class Run {
  readonly #marks = new Map<string, string>();
  readonly #writes = new Map<string, number>();
  readonly #streams: { readonly name: string | undefined; readonly stream: EventStream }[] = [];

  constructor(
    private readonly server: ServerUnderTest,
    private readonly mode: Mode,
    private readonly namespace: string,
  ) {
    this.#marks.set("ns", namespace);
  }

  async begin(): Promise<void> {
    const made = await call(this.server.api, "POST", "/api/v1/namespaces", { metadata: { name: this.namespace } });
    expect(made.status).toBe(201);
    this.#note("start", await this.#now());
  }

  async end(): Promise<void> {
    for (const { stream } of this.#streams) await stream.close();
  }

  async write({ method, path, body, mark }: WriteStep): Promise<void> {
    const options = method === "PATCH" ? { type: MERGE_PATCH } : {};
    const answer = await call(
      this.server.api,
      method,
      await this.#path(path),
      body === undefined ? undefined : await this.resolve(body),
      options,
    );
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300);
    if (mark === undefined) return;
    // The answer to most deletions does not say when they were.
    const told = answer.at("metadata.resourceVersion");
    this.#note(mark, method === "DELETE" || typeof told !== "string" ? await this.#now() : told);
  }

  async request({ method, path, body, accept, headers, passing, expected }: RequestStep): Promise<void> {
    const target = await this.#target(path);
    const resolved = body === undefined ? undefined : await this.resolve(body);
    const answering = call(this.server.api, method, target, resolved, {
      ...(accept !== undefined && { accept }),
      ...(headers && { headers }),
      ...(method === "PATCH" && { type: MERGE_PATCH }),
    });
    await this.#passWhile(answering, passing);
    const answer = await answering;
    const outcome = this.#ofMode(expected);
    if (typeof outcome === "function") {
      outcome(answer);
    } else {
      await this.#check(answer, await this.resolve(outcome));
    }
    this.#noteToken(answer);
  }

  async watch({ path, name, accept, headers, passing }: WatchStep): Promise<void> {
    const target = await this.#target(path);
    const opening = EventStream.open(this.server.api, target, {
      ...JSON_TYPE,
      ...(accept !== undefined && { accept }),
      ...headers,
    });
    await this.#passWhile(opening, passing);
    const stream = await opening;
    this.#streams.push({ name, stream });
    expect(stream.response.status, path).toBe(200);
    expect(stream.response.headers["content-encoding"]).toBeUndefined();
  }

  async events({ of, expected, end: whenEnds }: EventsStep): Promise<void> {
    const end = typeof whenEnds === "boolean" ? whenEnds : whenEnds[this.mode.cache ? "cached" : "direct"];
    const { stream } = this.#streams.findLast(({ name }) => of === undefined || name === of) ?? {};
    if (stream === undefined) throw new Error("the row has no such watch");
    const wanted = await this.resolve(this.#ofMode(expected));
    const { events, ended } = await stream.take(wanted.length, end);
    const lines = wanted.map((event) => (typeof event === "string" ? event : event.event));
    expect(events.map((event, index) => lineOf(event, lines[index]))).toEqual(lines);
    expect(ended).toBe(end);
    for (const [index, event] of wanted.entries()) {
      if (typeof event !== "string") expect(events[index]?.object).toMatchObject(event.object as object);
    }
  }

  /** Puts revisions and the like into all texts of a value. */
  async resolve<T>(value: T): Promise<T> {
    const now = JSON.stringify(value)?.includes("{now") === true ? await this.#now() : "";
    return this.#filled(value, now) as T;
  }

  /** Resolves when a watch cache, if there is one, has seen everything that was written. */
  async caughtUp(): Promise<void> {
    await call(this.server.api, "GET", `/api/v1/namespaces/${this.namespace}?resourceVersion=${await this.#now()}`);
  }

  #filled(value: unknown, now: string): unknown {
    if (typeof value === "string") return this.#text(value, now);
    if (Array.isArray(value)) return value.map((element) => this.#filled(element, now));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.#filled(inner, now)]));
  }

  async #check(answer: Answer, outcome: PlainOutcome): Promise<void> {
    if ("items" in outcome) await this.#checkList(answer, outcome);
    else if ("code" in outcome) this.#checkRefusal(answer, outcome);
    else {
      expect(answer.status, answer.text).toBe(outcome.status ?? 200);
      expect(JSON.parse(answer.text)).toMatchObject(outcome.body as object);
    }
  }

  async #checkList(answer: Answer, outcome: ListOutcome): Promise<void> {
    expect(answer.status, answer.text).toBe(200);
    const list = JSON.parse(answer.text) as { items: KubeObject[]; metadata: Record<string, unknown> };
    const spread = outcome.items.some((name) => name.includes("/"));
    expect(
      list.items.map(({ metadata }) => (spread ? `${metadata?.namespace}/${metadata?.name}` : metadata?.name)),
    ).toEqual(outcome.items);
    const { resourceVersion, continue: token, ...rest } = list.metadata;
    expect(resourceVersion).toMatch(/^[1-9][0-9]*$/);
    expect(Number(resourceVersion)).toBeLessThanOrEqual(Number(await this.#now()));
    if (outcome.at !== undefined) expect(resourceVersion).toBe(outcome.at);
    expect(tokenMeaning(token)).toEqual(outcome.next);
    expect(rest).toEqual(outcome.remaining === undefined ? {} : { remainingItemCount: outcome.remaining });
  }

  #checkRefusal(answer: Answer, { code, next, ...fields }: RefusalOutcome): void {
    const { metadata, ...status } = JSON.parse(answer.text) as { metadata: { continue?: string } };
    expect([answer.status, status]).toEqual([
      code,
      { kind: "Status", apiVersion: "v1", status: "Failure", ...fields, code },
    ]);
    const { continue: token, ...rest } = metadata;
    expect([tokenMeaning(token), rest]).toEqual([next, {}]);
    const details = fields.details as { retryAfterSeconds?: number } | undefined;
    expect(answer.headers["retry-after"]).toBe(details?.retryAfterSeconds?.toString());
  }

  #noteToken(answer: Answer): void {
    const { "content-type": type, "content-encoding": encoding } = answer.headers;
    if (!String(type).startsWith("application/json") || encoding !== undefined) return;
    const token = answer.at("metadata.continue");
    if (typeof token === "string") this.#marks.set("continue", token);
  }

  #note(mark: string, revision: string): void {
    const count = (this.#writes.get(mark) ?? 0) + 1;
    this.#writes.set(mark, count);
    this.#marks.set(count === 1 ? mark : `${mark}:${count}`, revision);
  }

  #ofMode<T>(expected: T | ByMode<T>): T {
    if (typeof expected !== "object" || expected === null || !("because" in expected)) return expected as T;
    return this.mode.cache ? expected.cached : expected.direct;
  }

  #path(path: string): Promise<string> {
    return this.resolve(path.startsWith("/") ? path : `/api/v1/namespaces/{ns}/${path}`);
  }

  /** The path of a read. What may show any state from a version on is asked for when a cache shows the newest. */
  async #target(path: string): Promise<string> {
    if (path.includes("resourceVersion=")) await this.caughtUp();
    return this.#path(path);
  }

  #text(text: string, now: string): string {
    return text.replaceAll(/\{([a-zA-Z0-9:]+)([+-]\d+)?\}/g, (_, mark: string, offset: string | undefined) => {
      const value = mark === "now" ? now : this.#marks.get(mark);
      if (value === undefined) throw new Error(`the row has no ${mark} yet`);
      return offset === undefined ? value : String(Number(value) + Number(offset));
    });
  }

  async #now(): Promise<string> {
    return String(await this.server.kv.currentRevision());
  }

  async #passWhile(pending: Promise<unknown>, milliseconds: number | undefined): Promise<void> {
    if (milliseconds === undefined) return;
    await Promise.race([settle(), pending]);
    this.server.time.pass(milliseconds);
  }
}

/** Lets what is under way come to where it waits for time. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setTimeout(resolve, 2));
}

function tokenMeaning(token: unknown): { after: string; at: string } | undefined {
  if (typeof token !== "string") return undefined;
  const { v, rv, start } = JSON.parse(Buffer.from(token, "base64url").toString("utf8")) as Record<string, unknown>;
  expect(v).toBe("meta.k8s.io/v1");
  // The next key is the first one after the last that was told.
  return { after: String(start).replace(/\0$/, ""), at: String(rv) };
}

/** "*" in `wanted` stands for a name that nobody can know. */
function lineOf({ type, object }: SeenEvent, wanted = ""): string {
  if (type === "ERROR")
    return `ERROR ${String(object["code"])} ${String(object["reason"])}: ${String(object["message"])}`;
  const rows = object["rows"] as readonly { readonly object: KubeObject | null }[] | undefined;
  const metadata = object.metadata;
  const inner = rows === undefined ? metadata : rows[0]?.object?.metadata;
  const name = wanted.includes("*") ? "*" : (inner?.name ?? "");
  const end = inner?.annotations?.["k8s.io/initial-events-end"] === "true" ? " end" : "";
  return `${type} ${name}@${metadata?.resourceVersion}${end}`;
}
