import { join } from "node:path/posix";
import { isJsonObject } from "../machinery/meta/json.js";
import { parseYaml } from "../machinery/yaml/read.js";
import { ORIGIN, TRANSFORMATIONS } from "./annotations.js";
import { apiVersionOf } from "./id.js";
import { valueText } from "./node-text.js";
import type { Resource } from "./resource.js";

/** The path from where the build began, of a file or of a folder. */
export const appendPath = (origin: string, path: string): string => join(origin, path);

export const fileOrigin = (path: string): string => `path: ${valueText(path)}\n`;

/** What made or changed objects: a field of a kustomization. */
export const builtInOrigin = (kustomization: string, kind: string): string =>
  configuredOrigin(kustomization, { apiVersion: "builtin", kind });

/** What made or changed objects: a plugin, by its configuration. Undefined where the build keeps no origins. */
export function pluginOrigin(config: Resource): string | undefined {
  const { annotations, gvk, kind, name, namespace } = config;
  const noted = annotations[ORIGIN];
  if (noted === undefined) return undefined;
  const origin = parseYaml(noted);
  const path = isJsonObject(origin) && typeof origin["path"] === "string" ? origin["path"] : "";
  return configuredOrigin(path, { apiVersion: apiVersionOf(gvk), kind, name, namespace });
}

function configuredOrigin(configuredIn: string, configuredBy: Readonly<Record<string, string>>): string {
  const by = Object.entries(configuredBy).filter(([, value]) => value !== "");
  const lines = by.map(([name, value]) => `  ${name}: ${valueText(value)}\n`);
  const where = configuredIn === "" ? "" : `configuredIn: ${valueText(configuredIn)}\n`;
  return `${where}configuredBy:\n${lines.join("")}`;
}

/** The first to make an object is its origin; whoever comes later has transformed it. */
export function noteTransformer(resources: readonly Resource[], origin: string): void {
  for (const resource of resources) {
    const { annotations } = resource;
    if (annotations[ORIGIN] === undefined) resource.annotations = { ...annotations, [ORIGIN]: origin };
    else {
      const entry = `- ${origin.replaceAll(/\n(?=.)/g, "\n  ")}`;
      resource.annotations = { ...annotations, [TRANSFORMATIONS]: (annotations[TRANSFORMATIONS] ?? "") + entry };
    }
  }
}

export function withoutAnnotation(resource: Resource, name: string): void {
  const { annotations } = resource;
  delete annotations[name];
  resource.annotations = annotations;
}
