import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { CustomResourceDefinition } from "../api/types/apiextensions/v1.js";
import type { PolicyRule } from "../api/types/rbac/v1.js";
import { errorMessage } from "../base/text/error-message.js";
import { configFromText, kubernetesClient, Manager } from "../client/index.js";
import type { DeclaredProject } from "./generated-manifests.js";

/**
 * Runs the built modules of a project (dist/api, dist/webhooks and dist/rights.js) and answers what they declare. No server is asked. Rejects with an Error
 * that names the module which is missing, or throws. The executable finds no packages of a project: there it rejects.
 */
export async function loadProject(folder: string): Promise<DeclaredProject> {
  if (process.versions["bun"] !== undefined) {
    throw new Error("the executable cannot run the modules of a project: call its own kubets, by npm run manifests");
  }
  const { name } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as { name?: string };
  const [kinds, { addWebhooks }, { rights = [], rightsAtHome = [] }] = await Promise.all([
    load(folder, "dist/api/index.js"),
    load(folder, "dist/webhooks/index.js"),
    load(folder, "dist/rights.js"),
  ]);
  const { crdOf } = (await import(resolved(folder, "kubets/kind"))) as {
    readonly crdOf: (kind: unknown) => CustomResourceDefinition;
  };
  const manager = new Manager(kubernetesClient(await configFromText(NOWHERE)));
  if (typeof addWebhooks === "function") (addWebhooks as (to: Manager) => void)(manager);
  return {
    name: (name ?? "").replace(/^@[^/]*\//, ""),
    definitions: Object.values(kinds).filter(isKind).map(crdOf),
    webhooks: manager.webhooks,
    rights: rights as readonly PolicyRule[],
    rightsAtHome: rightsAtHome as readonly PolicyRule[],
  };
}

/** The configuration of a client that is never asked. */
const NOWHERE = JSON.stringify({
  clusters: [{ name: "none", cluster: { server: "https://localhost" } }],
  contexts: [{ name: "none", context: { cluster: "none" } }],
  "current-context": "none",
});

/** Whether a value is a kind of `kubets/kind`. */
const isKind = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "declaration" in value && "strategy" in value;

async function load(folder: string, path: string): Promise<Record<string, unknown>> {
  const file = join(folder, path);
  if (!existsSync(file)) throw new Error(`${path} is missing: build the project first, by npm run build`);
  try {
    return (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  } catch (error) {
    throw new Error(`${path}: ${errorMessage(error)}`, { cause: error });
  }
}

/** A module as the project itself finds it. */
function resolved(folder: string, module: string): string {
  try {
    return pathToFileURL(createRequire(join(folder, "package.json")).resolve(module)).href;
  } catch (error) {
    throw new Error(`${folder} does not find ${module}: install its dependencies, by npm install`, { cause: error });
  }
}
