import type {
  ByMode,
  EventsStep,
  ExpectedEvent,
  Outcome,
  RefusalOutcome,
  RequestStep,
  Step,
  WatchStep,
  WriteStep,
} from "./row.js";

type Labels = Readonly<Record<string, string>>;
type How = Pick<RequestStep, "accept" | "headers" | "passing">;

/** Creates an object; its name is its mark. */
export function post(
  path: string,
  body: { readonly metadata: Readonly<Record<string, unknown>> } & Readonly<Record<string, unknown>>,
  mark = String(body.metadata["name"]),
): WriteStep {
  return { do: "write", method: "POST", path, body, mark };
}

/** A ConfigMap of the row's namespace, or of another one of the row. */
export const create = (name: string, labels: Labels = {}, namespace = "{ns}"): WriteStep =>
  post(`/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name, labels } });

/** Several ConfigMaps, in this order. */
export const createAll = (...names: readonly string[]): readonly WriteStep[] => names.map((name) => create(name));

export const namespace = (name: string): WriteStep => post("/api/v1/namespaces", { metadata: { name } }, "namespace");

/** Merges `body` into the object at `path`, whose last part is its mark. */
export const patch = (path: string, body: unknown, mark = lastPart(path)): WriteStep => ({
  do: "write",
  method: "PATCH",
  path,
  body,
  mark,
});

/** Sets labels of a ConfigMap; null takes one off. */
export const label = (name: string, labels: Readonly<Record<string, string | null>>): WriteStep =>
  patch(`configmaps/${name}`, { metadata: { labels } });

/** Changes the content of a ConfigMap. */
export const touch = (name: string, value = "touched"): WriteStep => patch(`configmaps/${name}`, { data: { value } });

export const remove = (name: string): WriteStep => removeAt(`configmaps/${name}`);

export const removeAt = (path: string, mark = lastPart(path)): WriteStep => ({
  do: "write",
  method: "DELETE",
  path,
  mark,
});

export const get = (path: string, expected: Outcome | ByMode<Outcome>, how: How = {}): RequestStep => ({
  do: "request",
  method: "GET",
  path,
  expected,
  ...how,
});

export const send = (
  method: RequestStep["method"],
  path: string,
  expected: Outcome | ByMode<Outcome>,
  body?: unknown,
): RequestStep => ({ do: "request", method, path, expected, ...(body !== undefined && { body }) });

export const watch = (path: string, how: Omit<WatchStep, "do" | "path"> = {}): WatchStep => ({
  do: "watch",
  path,
  ...how,
});

export const events = (...expected: readonly ExpectedEvent[]): EventsStep => ({ do: "events", expected, end: false });

/** {@link events} of the watch of that name. */
export const eventsOf = (of: string, ...expected: readonly ExpectedEvent[]): EventsStep => ({
  ...events(...expected),
  of,
});

/** The last events: the stream is over after them. */
export const lastEvents = (...expected: readonly ExpectedEvent[]): EventsStep => ({
  do: "events",
  expected,
  end: true,
});

/** {@link lastEvents} of the watch of that name. */
export const lastEventsOf = (of: string, ...expected: readonly ExpectedEvent[]): EventsStep => ({
  ...lastEvents(...expected),
  of,
});

/** {@link events}, which differ with and without the cache. */
export const eventsByMode = (
  expected: ByMode<readonly ExpectedEvent[]>,
  end: EventsStep["end"] = false,
): EventsStep => ({
  do: "events",
  expected,
  end,
});

/** Lets time pass, for a row with a server to itself. */
export const pass = (milliseconds: number): Step => ({ do: "pass", milliseconds });

/** Compacts the store up to a revision. */
export const compact = (revision: string): Step => ({ do: "compact", revision });

export const refused = (code: number, reason: string, message: string, details?: unknown): RefusalOutcome => ({
  code,
  ...(reason !== "" && { reason }),
  message,
  ...(details !== undefined && { details }),
});

export const badRequest = (message: string): RefusalOutcome => refused(400, "BadRequest", message);

/** 422 for list options, one `[reason, field, text]` for each problem. */
export function invalidOptions(...problems: readonly (readonly [string, string, string])[]): RefusalOutcome {
  const texts = problems.map(([, field, text]) => `${field}: ${text}`);
  const message = `ListOptions.meta.k8s.io "" is invalid: ${texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`}`;
  const causes = problems.map(([reason, field, text]) => ({ reason, message: text, field }));
  return refused(422, "Invalid", message, { group: "meta.k8s.io", kind: "ListOptions", causes });
}

const lastPart = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
