import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import { errnoText, errorCode } from "../../base/files/path-error.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../machinery/meta/json.js";
import { KubeconfigError, type KubeconfigFault } from "./kubeconfig-error.js";
import { parseKubeconfig } from "./load-kubeconfig.js";

/** A kubeconfig as parsed, for errors that name the place in it. */
export interface KubeconfigDocument {
  /** The file's name as it was given; "kubeconfig" for a text. */
  readonly file: string;
  readonly value: JsonValue;
}

export type Section = "clusters" | "users" | "contexts";

/** An entry of a kubeconfig, and where it is. */
export interface LocatedEntry {
  readonly file: string;
  /** `users[2] "admin"`. */
  readonly entry: string;
  readonly name: string;
  /** What the entry holds under its name. */
  readonly value: JsonObject;
}

/** Reads a file; undefined when there is none. Throws a {@link KubeconfigError} for a file that cannot be read or parsed. */
export async function readDocument(file: string, cwd: string): Promise<KubeconfigDocument | undefined> {
  let text: string;
  try {
    text = readFileSync(resolve(cwd, file), "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw new KubeconfigError([{ file, entry: "", field: "", problem: `cannot be read: ${errnoText(error)}` }]);
  }
  return parseDocument(text, file);
}

/** Throws a {@link KubeconfigError} for a text that is neither YAML nor JSON. */
export async function parseDocument(text: string, file: string): Promise<KubeconfigDocument> {
  try {
    return { file, value: text.trim() === "" ? null : await parseKubeconfig(text) };
  } catch (error) {
    const reason = errorMessage(error);
    throw new KubeconfigError([{ file, entry: "", field: "", problem: `not YAML: ${reason.replace(/^yaml: /, "")}` }]);
  }
}

/** The entries of one section; those that are not objects are left out. */
export function entriesOf({ file, value }: KubeconfigDocument, section: Section): readonly LocatedEntry[] {
  const list = isJsonObject(value) ? value[section] : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((item, index) => {
    const name = isJsonObject(item) && typeof item["name"] === "string" ? item["name"] : "";
    const held = isJsonObject(item) ? item[section.slice(0, -1)] : undefined;
    return [{ file, entry: `${section}[${index}] ${goQuote(name)}`, name, value: isJsonObject(held) ? held : {} }];
  });
}

/** Finds all values of a document that have the wrong type. Fields that kubectl does not know are skipped. */
export function typeFaults(document: KubeconfigDocument): readonly KubeconfigFault[] {
  const { file, value } = document;
  const faults: KubeconfigFault[] = [];
  const found = (entry: string, field: string, problem: string): void => {
    faults.push({ file, entry, field, problem });
  };
  if (value === null) return faults;
  if (!isJsonObject(value)) {
    found("", "", `must be a kubeconfig (kind: Config), is ${typeOf(value)}`);
    return faults;
  }
  checkFields(value, ROOT, (field, problem) => found("", field, problem));
  if (faults.length > 0) return faults;
  if ((value["kind"] || "Config") !== "Config")
    found("", "kind", `must be "Config", is ${JSON.stringify(value["kind"])}`);
  if ((value["apiVersion"] || "v1") !== "v1") {
    found("", "apiVersion", `must be "v1", is ${JSON.stringify(value["apiVersion"])}`);
  }
  for (const section of ["clusters", "users", "contexts"] as const) {
    const names = new Set<string>();
    for (const [index, item] of ((value[section] ?? []) as readonly JsonValue[]).entries()) {
      const kind = section.slice(0, -1);
      const name = isJsonObject(item) && typeof item["name"] === "string" ? ` ${goQuote(item["name"])}` : "";
      const entry = `${section}[${index}]${name}`;
      const tell = (field: string, problem: string): void => found(entry, field, problem);
      if (!isJsonObject(item)) {
        tell("", `must be an object with name and ${kind}, is ${typeOf(item)}`);
        continue;
      }
      checkFields(item, { name: "string" }, tell);
      const held = item[kind] ?? null;
      if (isJsonObject(held)) checkFields(held, SECTIONS[section], tell);
      else if (held !== null) tell(kind, `must be an object, is ${typeOf(held)}`);
      if (names.has(name)) tell("", "has the same name as an earlier entry");
      names.add(name);
    }
  }
  return faults;
}

type FieldType = "string" | "boolean" | "base64" | "strings" | "list" | "any" | { readonly [field: string]: FieldType };

const ROOT: { readonly [field: string]: FieldType } = {
  apiVersion: "string",
  kind: "string",
  "current-context": "string",
  clusters: "list",
  users: "list",
  contexts: "list",
};

const SECTIONS: Readonly<Record<Section, { readonly [field: string]: FieldType }>> = {
  clusters: {
    server: "string",
    "tls-server-name": "string",
    "insecure-skip-tls-verify": "boolean",
    "certificate-authority": "string",
    "certificate-authority-data": "base64",
    "proxy-url": "string",
    "disable-compression": "boolean",
  },
  users: {
    "client-certificate": "string",
    "client-certificate-data": "base64",
    "client-key": "string",
    "client-key-data": "base64",
    token: "string",
    tokenFile: "string",
    as: "string",
    "as-uid": "string",
    "as-groups": "strings",
    username: "string",
    password: "string",
    "auth-provider": { name: "string" },
    exec: {
      apiVersion: "string",
      command: "string",
      args: "strings",
      env: "list",
      installHint: "string",
      provideClusterInfo: "boolean",
      interactiveMode: "string",
    },
  },
  contexts: { cluster: "string", user: "string", namespace: "string" },
};

type Tell = (field: string, problem: string) => void;

function checkFields(value: JsonObject, fields: { readonly [field: string]: FieldType }, tell: Tell): void {
  for (const [field, type] of Object.entries(fields)) {
    const held = value[field];
    if (held !== undefined && held !== null) checkField(field, held, type, tell);
  }
}

function checkField(field: string, held: JsonValue, type: FieldType, tell: Tell): void {
  if (typeof type === "object") {
    if (isJsonObject(held)) checkFields(held, type, (inner, problem) => tell(`${field}.${inner}`, problem));
    else tell(field, `must be an object, is ${typeOf(held)}`);
  } else if (type === "boolean") {
    if (typeof held !== "boolean") tell(field, `must be true or false, is ${typeOf(held)}`);
  } else if (type === "list") {
    if (!Array.isArray(held)) tell(field, `must be a list, is ${typeOf(held)}`);
  } else if (type === "strings") {
    if (!Array.isArray(held)) tell(field, `must be a list of strings, is ${typeOf(held)}`);
    else if (held.some((item) => typeof item !== "string")) tell(field, "must hold strings and nothing else");
  } else if (typeof held !== "string") {
    const advice = typeof held === "object" ? "" : ": put it in quotes";
    tell(field, `must be a string, is ${typeOf(held)}${advice}`);
  } else if (type === "base64" && !BASE64.test(held.replaceAll(/[\r\n]/g, ""))) {
    tell(field, "not base64");
  }
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function typeOf(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  return `a ${typeof value === "bigint" ? "number" : typeof value}`;
}
