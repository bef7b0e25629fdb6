import { isJsonObject, type JsonObject, type JsonValue } from "../../machinery/meta/json.js";

/** The discovery types of meta/v1, with their fields in Go's order. The cache files have the same form. */
export interface WireGroupVersion {
  readonly groupVersion: string;
  readonly version: string;
}

export interface WireGroup {
  readonly name: string;
  readonly versions: readonly WireGroupVersion[];
  readonly preferredVersion: WireGroupVersion;
}

export interface WireResource {
  /** "deployments", "deployments/scale". */
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  /** The group and version of the kind, where they differ from the list's. */
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
}

export interface WireResourceList {
  readonly groupVersion: string;
  readonly resources: readonly WireResource[];
}

export function readGroups(list: JsonObject): readonly WireGroup[] {
  return objects(list["groups"]).map((group) => {
    const versions = objects(group["versions"]).map(groupVersion);
    const preferred = group["preferredVersion"];
    return {
      name: text(group["name"]),
      versions,
      preferredVersion: isJsonObject(preferred) ? groupVersion(preferred) : { groupVersion: "", version: "" },
    };
  });
}

export function readResourceList(list: JsonObject, groupVersionAsked: string): WireResourceList {
  return {
    groupVersion: text(list["groupVersion"]) || groupVersionAsked,
    resources: objects(list["resources"]).map(resource),
  };
}

function resource(from: JsonObject): WireResource {
  const group = text(from["group"]);
  const version = text(from["version"]);
  const shortNames = texts(from["shortNames"]);
  const categories = texts(from["categories"]);
  const storageVersionHash = text(from["storageVersionHash"]);
  return {
    name: text(from["name"]),
    singularName: text(from["singularName"]),
    namespaced: from["namespaced"] === true,
    ...(group !== "" && { group }),
    ...(version !== "" && { version }),
    kind: text(from["kind"]),
    verbs: texts(from["verbs"]),
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(storageVersionHash !== "" && { storageVersionHash }),
  };
}

function groupVersion(from: JsonObject): WireGroupVersion {
  return { groupVersion: text(from["groupVersion"]), version: text(from["version"]) };
}

/** Encodes the list with the same bytes as kubectl. */
export function groupsFile(groups: readonly WireGroup[]): string {
  return `${escapeHtml(JSON.stringify({ kind: "APIGroupList", apiVersion: "v1", groups }))}\n`;
}

export function resourceListFile({ groupVersion: name, resources }: WireResourceList): string {
  const list = { kind: "APIResourceList", apiVersion: "v1", groupVersion: name, resources };
  return `${escapeHtml(JSON.stringify(list))}\n`;
}

function escapeHtml(json: string): string {
  return json.replaceAll(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

export function texts(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
