import type { FieldsOf } from "../../machinery/meta/received.js";
import type { ObjectMeta, ApiObject } from "../../machinery/meta/object.js";
import { inOrder } from "../../base/async/turns.js";
import { notAcceptable } from "../../machinery/errors/status-error.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import { type MediaType, parseAccept } from "../endpoints/negotiation/media-type.js";
import type { ApiRequest } from "../request/api-request.js";
import { respondBytes, respondText } from "../request/respond.js";

/** What a page for operators says, as text and as an object of config.k8s.io. */
interface ZPage {
  /** "Statusz" or "Flagz". */
  readonly kind: string;
  /** The name of the server. */
  readonly component: string;
  text(): string;
  /** The fields beside those of every object. */
  fields(): JsonObject;
}

const VERSIONS: ReadonlySet<string> = new Set(["v1alpha1", "v1beta1"]);
const ACCEPTED = "application/json, application/yaml, text/plain";
/** Kubernetes takes one by chance, so that no program relies on the text. */
const DELIMITERS = [":", ": ", "=", " "];

/** The beginning of a page's text. */
const headOf = (component: string, page: string): string => `
${component} ${page}
Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.
`;

/** Answers with the page in the form that the request asks for: text, or JSON or YAML of a version that the header Accept names. */
async function respondPage(request: ApiRequest, page: ZPage): Promise<void> {
  const { method, headers } = request.exchange;
  if (method !== "GET" && method !== "HEAD") return respondText(request, 405, "405: Method Not Allowed");
  for (const clause of (headers["accept"] ?? "").trim() === "" ? [] : parseAccept(headers["accept"])) {
    const version = versionOf(clause, page.kind);
    if (version === "text") return respondText(request, 200, page.text());
    if (version === undefined) continue;
    return respondObject(request, page, version, clause.type);
  }
  if ((headers["accept"] ?? "").trim() === "") return respondText(request, 200, page.text());
  throw notAcceptable(`only the following media types are accepted: ${ACCEPTED}`);
}

/** The version that a clause asks for; "text" for the text, and undefined for what there is not. */
function versionOf({ type, parameters }: MediaType, kind: string): string | undefined {
  const wanted = parameters.get("as");
  if (wanted === undefined) return ["text/plain", "text/*", "*/*"].includes(type) ? "text" : undefined;
  const isObject = ["application/json", "application/yaml", "application/*"].includes(type);
  const version = parameters.get("v") ?? "";
  const isKnown = wanted === kind && parameters.get("g") === "config.k8s.io" && VERSIONS.has(version);
  return isObject && isKnown ? version : undefined;
}

async function respondObject(request: ApiRequest, page: ZPage, version: string, type: string): Promise<void> {
  const { kind, component } = page;
  const object = {
    kind,
    apiVersion: `config.k8s.io/${version}`,
    metadata: { name: component } satisfies FieldsOf<ObjectMeta>,
    ...page.fields(),
  } satisfies FieldsOf<ApiObject>;
  if (version === "v1alpha1") {
    const name = kind.toLowerCase();
    request.warnings.add(`This version of the ${name} endpoint is deprecated. Please use a newer version.`);
  }
  if (type === "application/yaml") {
    const { emitYaml } = await inOrder(import("../../machinery/text/yaml/emit.js"));
    return respondBytes(request, 200, { "content-type": type }, Buffer.from(emitYaml(object)));
  }
  await respondBytes(request, 200, { "content-type": "application/json" }, Buffer.from(`${encodeJson(object)}\n`));
}

/** The values that /statusz shows. Times are milliseconds since the epoch. */
export interface ServerStatus {
  readonly component: string;
  /** The version of Kubernetes that it is, and the one that it behaves as: "1.37". */
  readonly binary: string;
  readonly emulated: string;
  readonly started: number;
  readonly now: number;
  /** The paths of the index. */
  readonly paths: readonly string[];
  /** A number from 0 to below its argument. */
  readonly random: (below: number) => number;
}

/** Paths of the API, which are no pages for operators. */
const OF_THE_API: ReadonlySet<string> = new Set(["apis", "api", "openid", "openapi", ".well-known"]);

/** Answers /statusz. */
export function respondStatusz(request: ApiRequest, status: ServerStatus): Promise<void> {
  const { component, binary, emulated, started, now, random } = status;
  const seconds = Math.max(0, Math.floor((now - started) / 1000));
  const names = new Set(status.paths.map((path) => path.split("/")[1] ?? ""));
  const paths = [...names].filter((name) => name !== "" && !OF_THE_API.has(name)).map((name) => `/${name}`);
  paths.sort();
  return respondPage(request, {
    kind: "Statusz",
    component,
    text() {
      const colon = DELIMITERS[random(DELIMITERS.length)] ?? ":";
      const lines = [
        `Started${colon} ${unixDate(started)}`,
        `Up${colon} ${uptime(seconds)}`,
        `Go version${colon} ${process.version}`,
        `Binary version${colon} ${binary}`,
        `Emulation version${colon} ${emulated}`,
        `Paths${colon} ${paths.join(" ")}`,
      ];
      return `${headOf(component, "statusz")}\n${lines.join("\n")}\n`;
    },
    fields: () => ({
      startTime: `${new Date(started).toISOString().slice(0, 19)}Z`,
      uptimeSeconds: seconds,
      goVersion: process.version,
      binaryVersion: binary,
      emulationVersion: emulated,
      paths,
    }),
  });
}

/** Serves /flagz with the values of the program's flags; secret values are masked. */
export function respondFlagz(
  request: ApiRequest,
  component: string,
  flags: ReadonlyMap<string, string>,
  random: (below: number) => number,
): Promise<void> {
  const sorted = [...flags].sort(([one], [other]) => (one < other ? -1 : 1));
  return respondPage(request, {
    kind: "Flagz",
    component,
    text() {
      const delimiter = DELIMITERS[random(DELIMITERS.length)] ?? ":";
      return `${headOf(component, "flagz")}${sorted.map(([name, value]) => `${name}${delimiter}${value}\n`).join("")}`;
    },
    fields: () => ({ flags: Object.fromEntries(sorted) }),
  });
}

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Go's time.UnixDate, in UTC: "Mon Jan  2 15:04:05 UTC 2006". */
function unixDate(milliseconds: number): string {
  const time = new Date(milliseconds);
  const clock = time.toISOString().slice(11, 19);
  const day = String(time.getUTCDate()).padStart(2, " ");
  return `${DAYS[time.getUTCDay()]} ${MONTHS[time.getUTCMonth()]} ${day} ${clock} UTC ${time.getUTCFullYear()}`;
}

function uptime(seconds: number): string {
  const two = (number: number): string => String(number).padStart(2, "0");
  return `${Math.floor(seconds / 3600)} hr ${two(Math.floor(seconds / 60) % 60)} min ${two(seconds % 60)} sec`;
}
