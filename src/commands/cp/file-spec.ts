import { readdir } from "node:fs/promises";
import { withoutLastSlash } from "../../actions/archive/local-names.js";
import { PODS } from "../../actions/selected-pods.js";
import type { Completer } from "../../cli/command.js";
import { NO_SPACE } from "../../cli/completion/directive.js";
import { objectNames } from "../../cli/completion/resource-names.js";
import type { Factory } from "../../cli/connect/factory.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { Helper } from "../../resource/helper.js";

/** One of cp's two operands. */
export interface FileSpec {
  /** "" for a local file. */
  readonly pod: string;
  /** "" for the namespace in force. */
  readonly namespace: string;
  readonly path: string;
}

const BAD_FORMAT = "filespec must match the canonical format: [[namespace/]pod:]file/path";

/** A drive of Windows: no pod has a name in capitals, and no path in a container begins with a backslash. */
const DRIVE = /^([A-Z]:|[a-z]:\\)/;

/** Reads `[[namespace/]pod:]path`. Throws in kubectl's words. */
export function parseFileSpec(text: string, platform: NodeJS.Platform): FileSpec {
  const colon = platform === "win32" && DRIVE.test(text) ? -1 : text.indexOf(":");
  if (colon === 0) throw new Error(BAD_FORMAT);
  if (colon < 0) return { pod: "", namespace: "", path: withoutLastSlash(text) };
  const pieces = text.slice(0, colon).split("/");
  if (pieces.length > 2) throw new Error(BAD_FORMAT);
  const path = withoutLastSlash(text.slice(colon + 1)).replaceAll("\\", "/");
  return { pod: pieces.at(-1) ?? "", namespace: pieces.length === 2 ? (pieces[0] ?? "") : "", path };
}

/** A pod, `namespace/pod`, or a local path: the first operand. */
export const completeFileSpecs: Completer = async (factory, { args }, toComplete) => {
  const candidates = args.length === 0 ? await sources(factory, toComplete) : [];
  return { candidates: candidates.filter((candidate) => candidate.startsWith(toComplete)), directive: NO_SPACE };
};

async function sources(factory: Factory, toComplete: string): Promise<readonly string[]> {
  if (/^[/.~]/.test(toComplete) || toComplete.includes(":")) return [];
  const slash = toComplete.indexOf("/");
  if (slash > 0) return await podsOf(factory, toComplete.slice(0, slash));
  const none = (): readonly string[] => [];
  const namespaces = await objectNames(factory, "namespace").catch(none);
  const pods = await objectNames(factory, "pod").catch(none);
  const remote = [...namespaces.map((name) => `${name}/`), ...pods.map((name) => `${name}:`)];
  if (toComplete === "") return [...remote, "./", "/"];
  // Where there is nothing else to offer, the shell completes files itself.
  return remote.some((name) => name.startsWith(toComplete)) ? [...remote, ...(await filesIn(factory.cwd))] : [];
}

async function podsOf(factory: Factory, namespace: string): Promise<readonly string[]> {
  const pods = new Helper(await factory.restClient(), PODS);
  const { items } = await pods.list(namespace, {}).catch((): { readonly items?: unknown } => ({}));
  const list = Array.isArray(items) ? (items as readonly KubeObject[]) : [];
  return list.map(({ metadata }) => `${metadata?.namespace ?? ""}/${metadata?.name ?? ""}:`);
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
}
