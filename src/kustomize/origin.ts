import { join } from "node:path/posix";
import { ORIGIN, TRANSFORMATIONS } from "./annotations.js";
import { decodeYaml } from "./nodes/read-nodes.js";
import { embedded, listOf, type Shape, struct, text } from "./go-struct.js";
import { apiVersionOf } from "./id.js";
import { valueText } from "./nodes/node-text.js";
import type { Resource } from "./resource.js";

/** Where an object comes from, or what changed it; as YAML it stands in annotations. */
interface Origin {
  /** Of a file, from where the build began. */
  readonly path?: string;
  readonly repo?: string;
  readonly ref?: string;
  /** The file that configures the generator or transformer. */
  readonly configuredIn?: string;
  readonly configuredBy?: {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly name?: string;
    readonly namespace?: string;
  };
}

const originShape: Shape = struct("resource.Origin", {
  path: text,
  repo: text,
  ref: text,
  configuredIn: text,
  configuredBy: struct("yaml.ResourceIdentifier", {
    ...embedded("TypeMeta", { apiVersion: text, kind: text }),
    ...embedded("NameMeta", { name: text, namespace: text }),
  }),
});

const transformationsShape: Shape = { ...listOf(originShape), go: "resource.Transformations" };

/** Joins the path of the folder where the build began with that of a file or folder. */
export const appendPath = (origin: string, path: string): string => join(origin, path);

export const fileOrigin = (path: string): string => originText({ path });

/** The origin of objects that a field of a kustomization generated. */
export const builtInOrigin = (kustomization: string, kind: string): string =>
  originText({ configuredIn: kustomization, configuredBy: { apiVersion: "builtin", kind } });

/**
 * The origin of objects that a plugin generated, from its configuration. Undefined where the build keeps no origins. Throws for an
 * invalid annotation of the configuration.
 */
export function pluginOrigin(config: Resource): string | undefined {
  const noted = config.annotations[ORIGIN];
  if (noted === undefined) return undefined;
  const { path = "", repo = "", ref = "" } = decodeYaml<Origin | null>(noted, originShape) ?? {};
  const { gvk, kind, name, namespace } = config;
  const configuredBy = { apiVersion: apiVersionOf(gvk), kind, name, namespace };
  return originText({ repo, ref, configuredIn: path, configuredBy });
}

/**
 * Records what made an object: the first one becomes its origin, later ones are added to its transformations. Throws for an
 * invalid annotation.
 */
export function noteTransformer(resources: readonly Resource[], origin: string): void {
  for (const resource of resources) {
    const { annotations } = resource;
    const made = annotations[ORIGIN];
    if (made === undefined) resource.annotations = { ...annotations, [ORIGIN]: origin };
    else {
      decodeYaml<Origin | null>(made, originShape);
      const before = decodeYaml<readonly Origin[] | null>(annotations[TRANSFORMATIONS] ?? "", transformationsShape);
      const entries = [...(before ?? []).map(originText), origin];
      const listed = entries.map((entry) => `- ${entry.replaceAll(/\n(?=.)/g, "\n  ")}`);
      resource.annotations = { ...annotations, [TRANSFORMATIONS]: listed.join("") };
    }
  }
}

export function withoutAnnotation(resource: Resource, name: string): void {
  const { annotations } = resource;
  delete annotations[name];
  resource.annotations = annotations;
}

/** What is empty is left out. */
function originText({ configuredBy = {}, ...origin }: Origin): string {
  const lines = memberLines(origin, ["path", "repo", "ref", "configuredIn"], "");
  const by = memberLines(configuredBy, ["apiVersion", "kind", "name", "namespace"], "  ");
  if (by !== "") return `${lines}configuredBy:\n${by}`;
  return lines === "" ? "{}\n" : lines;
}

function memberLines(members: Readonly<Record<string, string>>, names: readonly string[], indent: string): string {
  const said = names.filter((name) => (members[name] ?? "") !== "");
  return said.map((name) => `${indent}${name}: ${valueText(members[name] ?? "")}\n`).join("");
}
