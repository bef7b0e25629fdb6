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
import { schemaFaults } from "./schema-faults.js";

export interface DocumentValidation {
  readonly directive: "Strict" | "Warn" | "Ignore";
  readonly openapi: () => Promise<OpenApi>;
  readonly client: () => Promise<RestClient>;
  /** Called when fields should be warned about and neither server nor client can check them. */
  readonly cannotWarn: () => void;
}

/**
 * What stands before a document is sent: its type must be told, and what the server will not validate itself (each
 * kind is asked about once) is held against the built-in schemas. undefined when nothing is to be checked.
 */
export function documentValidation(options: DocumentValidation): ValidateDocument | undefined {
  if (options.directive === "Ignore") return undefined;
  const validation = new Validation(options);
  return (json) => validation.check(json);
}

class Validation {
  private readonly asked = new Map<string, Promise<boolean>>();
  /** By the document that was asked first; kubectl looks once for each. */
  private readonly crds = new Map<"v2" | "v3", Promise<ReadonlySet<string>>>();

  constructor(private readonly options: DocumentValidation) {}

  async check(json: string): Promise<void> {
    const { value } = decodeJson(json);
    const kind = kindOf(value);
    const key = JSON.stringify(kind);
    const answer = this.asked.get(key) ?? this.serverValidates(kind);
    this.asked.set(key, answer);
    if (await answer) return;
    if (this.options.directive === "Warn") return this.options.cannotWarn();
    await this.checkHere(value, kind, json);
  }

  private async serverValidates(kind: GroupVersionKind): Promise<boolean> {
    if (isPlainList(kind)) return false;
    try {
      const openapi = await this.options.openapi();
      if (!(await openapi.describes(kind))) return await this.isCustom(kind, "v3").catch(() => false);
      const supported = await openapi.supportsPatchParameter(kind, "fieldValidation");
      if (supported !== undefined) return supported;
    } catch {
      // The older document may still be there; its absence is what kubectl reports.
      await this.download();
      return true;
    }
    await this.download();
    if (await isPatchedSomewhere(kind)) return true;
    return this.isCustom(kind, "v2").catch((error: unknown) => {
      throw new Error(`failed to check CRD: ${errorMessage(error)}`);
    });
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

  private async checkHere(value: JsonValue, kind: GroupVersionKind, json: string): Promise<void> {
    const faults = isPlainList(kind) ? await this.listFaults(value) : await this.faultsOf(value, kind);
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

  private async faultsOf(value: JsonValue, kind: GroupVersionKind): Promise<readonly Error[]> {
    await this.download();
    return schemaFaults(value, kind);
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
