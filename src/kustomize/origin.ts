import { join } from "node:path/posix";
import { ORIGIN, TRANSFORMATIONS } from "./annotations.js";
import { valueText } from "./node-text.js";
import type { Resource } from "./resource.js";

/** The path from where the build began, of a file or of a folder. */
export const appendPath = (origin: string, path: string): string => join(origin, path);

export const fileOrigin = (path: string): string => `path: ${valueText(path)}\n`;

/** What made or changed objects: a field of a kustomization. */
export const builtInOrigin = (kustomization: string, kind: string): string =>
  `configuredIn: ${valueText(kustomization)}\nconfiguredBy:\n  apiVersion: builtin\n  kind: ${kind}\n`;

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
