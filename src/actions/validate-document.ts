import { append } from "../base/collections/append.js";
import { errorMessage } from "../base/text/error-message.js";
import type { OpenApi } from "../client/openapi/openapi.js";
import type { RestClient } from "../client/rest/rest-client.js";
import { decodeJson } from "../machinery/wire/json/json-decoder.js";
import { type GroupVersionKind, parseGroupVersion } from "../machinery/meta/gvk.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../machinery/meta/json.js";
import type { ValidateDocument } from "../resource/document-source.js";
import { aggregate } from "../resource/visitor.js";
import { downloadLegacyOpenApi } from "./legacy-openapi.js";
import type { ScalarSchema, Schema, StructSchema } from "../machinery/schema/schema.js";
import { compareKeys } from "../base/collections/key-order.js";

export interface DocumentValidation {
  readonly directive: "Strict" | "Warn" | "Ignore";
  readonly openapi: () => Promise<OpenApi>;
  readonly client: () => Promise<RestClient>;
  /** Called when fields should be warned about and neither server nor client can check them. */
  readonly cannotWarn: () => void;
}

/**
 * Makes the check of a document before it is sent: the document must state its type. Where the server does not validate fields itself, the
 * document must fit the built-in schema with the directive Strict, and with Warn `cannotWarn` is called. A kind that the server does not
 * describe is checked for double keys only. Each kind is looked up once. Undefined with the directive Ignore.
 */
export function documentValidation(options: DocumentValidation): ValidateDocument | undefined {
  if (options.directive === "Ignore") return undefined;
  const validation = new Validation(options);
  return (json) => validation.check(json);
}

/** Who validates a kind: the server, or the client, which has no schema of a kind that the server does not describe. */
type Validated = "by the server" | "here" | "without schema";

class Validation {
  private readonly asked = new Map<string, Promise<Validated>>();
  /** By the document that was asked first; kubectl looks once for each. */
  private readonly crds = new Map<"v2" | "v3", Promise<ReadonlySet<string>>>();

  constructor(private readonly options: DocumentValidation) {}

  async check(json: string): Promise<void> {
    const { value } = decodeJson(json);
    const kind = kindOf(value);
    const key = JSON.stringify(kind);
    const answer = this.asked.get(key) ?? this.whoValidates(kind);
    this.asked.set(key, answer);
    const validated = await answer;
    if (validated === "by the server") return;
    if (this.options.directive === "Warn") return this.options.cannotWarn();
    await this.checkHere(value, kind, json, validated);
  }

  private async whoValidates(kind: GroupVersionKind): Promise<Validated> {
    if (isPlainList(kind)) return "here";
    try {
      const openapi = await this.options.openapi();
      if (!(await openapi.describes(kind))) {
        return (await this.isCustom(kind, "v3").catch(() => false)) ? "by the server" : "without schema";
      }
      const supported = await openapi.supportsPatchParameter(kind, "fieldValidation");
      if (supported !== undefined) return supported ? "by the server" : "here";
    } catch {
      // The older document may still be there; its absence is what kubectl reports.
      await this.download();
      return "by the server";
    }
    await this.download();
    if (await isPatchedSomewhere(kind)) return "by the server";
    const isCustom = await this.isCustom(kind, "v2").catch((error: unknown) => {
      throw new Error(`failed to check CRD: ${errorMessage(error)}`);
    });
    return isCustom ? "by the server" : "here";
  }

  private async isCustom({ group, kind }: GroupVersionKind, asked: "v2" | "v3"): Promise<boolean> {
    const list = this.crds.get(asked) ?? this.listCustom();
    this.crds.set(asked, list);
    return (await list).has(`${group}/${kind}`);
  }

  private async listCustom(): Promise<ReadonlySet<string>> {
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const client = await this.options.client();
    const answer = await client.request({ method: "GET", path, accept: "application/json" }).catch((error: unknown) => {
      throw new Error(`failed to list CRDs: ${errorMessage(error)}`);
    });
    const { items } = answer.json();
    return new Set(Array.isArray(items) ? items.map(customKind) : []);
  }

  private async checkHere(value: JsonValue, kind: GroupVersionKind, json: string, by: Validated): Promise<void> {
    const faults = isPlainList(kind) ? await this.listFaults(value) : await this.faultsOf(value, kind, by);
    const double = doubleKeys(json);
    const groups = [faults, double].filter((group) => group.length > 0).map(aggregate);
    if (groups.length > 0) throw aggregate(groups);
  }

  private async listFaults(list: JsonValue): Promise<readonly Error[]> {
    const items = isJsonObject(list) ? list["items"] : undefined;
    if (!Array.isArray(items)) return [new Error("invalid object to validate")];
    const found: Error[] = [];
    for (const item of items) {
      const { kind, faults } = readKind(item);
      append(found, faults.length > 0 ? faults : await this.faultsOf(item, kind));
    }
    return found;
  }

  private async faultsOf(value: JsonValue, kind: GroupVersionKind, by: Validated = "here"): Promise<readonly Error[]> {
    await this.download();
    return by === "here" ? schemaFaults(value, kind) : [];
  }

  private async download(): Promise<void> {
    await downloadLegacyOpenApi(await this.options.client());
  }
}

/** The older document lists the requests of all groups: a kind that some subresource takes (Scale) is found there. */
async function isPatchedSomewhere({ group, version, kind }: GroupVersionKind): Promise<boolean> {
  const { servedResources } = await import("../api/facts/index.js");
  return servedResources().some(({ subresources }) =>
    subresources.some(
      (sub) =>
        sub.verbs.includes("patch") &&
        sub.kind.group === group &&
        sub.kind.version === version &&
        sub.kind.kind === kind,
    ),
  );
}

const isPlainList = ({ group, version, kind }: GroupVersionKind): boolean =>
  group === "" && version === "v1" && kind === "List";

function kindOf(value: JsonValue): GroupVersionKind {
  const { kind, faults } = readKind(value);
  if (faults.length > 0) throw aggregate(faults);
  return kind;
}

function readKind(value: JsonValue): { readonly kind: GroupVersionKind; readonly faults: readonly Error[] } {
  const faults: Error[] = [];
  if (!isJsonObject(value)) {
    return { kind: { group: "", version: "", kind: "" }, faults: [new Error("invalid object to validate")] };
  }
  const apiVersion = textField(value, "apiVersion", faults);
  let gv = { group: "", version: "" };
  try {
    gv = parseGroupVersion(apiVersion);
  } catch (error) {
    faults.push(error as Error);
  }
  const kind = textField(value, "kind", faults);
  return { kind: { ...gv, kind }, faults };
}

function textField(object: JsonObject, name: string, faults: Error[]): string {
  const held = object[name] ?? null;
  if (typeof held === "string") return held;
  faults.push(new Error(held === null ? `${name} not set` : `${name} isn't string type`));
  return "";
}

/** Labels and annotations given twice; the value of the first is lost on the way otherwise. */
function doubleKeys(json: string): readonly Error[] {
  const { value, duplicates } = decodeJson(json);
  const metadata = isJsonObject(value) ? value["metadata"] : undefined;
  if (duplicates === undefined || !isJsonObject(metadata)) return [];
  return ["labels", "annotations"].flatMap((name) => {
    const map = metadata[name];
    const keys = isJsonObject(map) ? (duplicates.get(map) ?? []) : [];
    const double = keys.find((key, index) => keys.indexOf(key) !== index);
    return double === undefined ? [] : [new Error(`duplicate key: ${double}`)];
  });
}

function customKind(definition: JsonValue): string {
  const spec = isJsonObject(definition) ? definition["spec"] : undefined;
  if (!isJsonObject(spec)) return "";
  const { group, names } = spec;
  const kind = isJsonObject(names) ? names["kind"] : undefined;
  return `${typeof group === "string" ? group : ""}/${typeof kind === "string" ? kind : ""}`;
}

/**
 * What is wrong with an object of a built-in kind by its schema: unknown and missing fields, wrong types. In the words
 * of kubectl's own validation, which is lenient: any scalar may stand for a string. Nothing for a kind that is not built in.
 */
async function schemaFaults(value: JsonValue, kind: GroupVersionKind): Promise<readonly Error[]> {
  const { schemaFor } = await import("../api/facts/index.js");
  const schema = schemaFor(kind);
  if (schema === undefined) return [];
  const faults: Error[] = [];
  walk(value, schema, { path: kind.kind, type: schema.definition, faults });
  return faults;
}

interface Place {
  /** Where in the document. */
  readonly path: string;
  /** Where in the schema. */
  readonly type: string;
  readonly faults: Error[];
}

function walk(value: JsonValue, schema: Schema, place: Place): void {
  if (schema.type === "scalar") return walkScalar(value, schema, place);
  if (schema.type === "list") {
    if (!Array.isArray(value)) return wrongType(value, "array", place);
    value.forEach((item, index) => {
      const path = `${place.path}[${index}]`;
      if (item === null) fault(place, `unknown object type "nil" in ${path}`);
      else walk(item, schema.items, { ...place, path, type: typeOf(schema.items, place.type) });
    });
    return;
  }
  if (!isJsonObject(value)) return wrongType(value, "map", place);
  if (schema.type === "struct") return walkStruct(value, schema, place);
  for (const key of sortedKeys(value)) {
    const path = `${place.path}.${key}`;
    const item = value[key] ?? null;
    if (item === null) place.faults.push(new Error(`unknown object type "nil" in ${path}`));
    else walk(item, schema.values, { ...place, path, type: typeOf(schema.values, place.type) });
  }
}

function walkStruct(value: JsonObject, schema: StructSchema, place: Place): void {
  for (const key of sortedKeys(value)) {
    const item = value[key] ?? null;
    if (item === null) continue;
    const field = schema.byName.get(key);
    if (field === undefined) {
      fault(place, `unknown field "${key}" in ${place.type}`);
      continue;
    }
    const type = typeOf(field.schema, `${place.type}.${key}`);
    walk(item, field.schema, { ...place, path: `${place.path}.${key}`, type });
  }
  for (const field of schema.fields) {
    const missing = !Object.hasOwn(value, field.name) || value[field.name] === null;
    if (field.required && missing) fault(place, `missing required field "${field.name}" in ${place.type}`);
  }
}

function walkScalar(value: JsonValue, schema: ScalarSchema, place: Place): void {
  if (schema.scalar === "any") return;
  const expected = openApiType(schema.scalar);
  const actual = jsonKindOf(value);
  if (actual === "array" || actual === "map") return wrongType(value, expected, place);
  const number = actual === "integer" || actual === "number";
  const fits = expected === "string" || (expected === "boolean" ? actual === "boolean" : number);
  if (!fits) wrongType(value, expected, place);
}

function openApiType(scalar: ScalarSchema["scalar"]): "boolean" | "integer" | "number" | "string" {
  if (scalar === "bool") return "boolean";
  if (scalar === "float64") return "number";
  return scalar === "int32" || scalar === "int64" ? "integer" : "string";
}

/** A struct is known by its own name, everything else by where it stands. */
const typeOf = (schema: Schema, place: string): string => (schema.type === "struct" ? schema.definition : place);

function wrongType(value: JsonValue, expected: string, place: Place): void {
  fault(place, `invalid type for ${place.type}: got "${jsonKindOf(value)}", expected "${expected}"`);
}

function fault(place: Place, message: string): void {
  place.faults.push(new Error(`ValidationError(${place.path}): ${message}`));
}

function jsonKindOf(value: JsonValue): "array" | "map" | "boolean" | "string" | "integer" | "number" {
  if (Array.isArray(value)) return "array";
  if (isJsonObject(value)) return "map";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "string") return "string";
  return typeof value === "bigint" || Number.isInteger(value) ? "integer" : "number";
}

const sortedKeys = (object: JsonObject): readonly string[] => Object.keys(object).sort(compareKeys);
