// V8's code caches of the command line for the versions of Node that nodes.json pins, made by these versions themselves, which
// come from npm. Only what runs on this machine can make them.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { npmFile } from "../npm-file.mjs";

const pinned = JSON.parse(readFileSync(new URL("nodes.json", import.meta.url), "utf8"));

/** The pinned versions of Node for this machine, oldest first. */
export const pinnedNodes = pinned[`${process.platform}-${process.arch}`] ?? [];

/** The path of a pinned Node. Throws where npm cannot fetch it. */
export const nodeProgram = (node) => npmFile({ ...node, path: "bin/node" });

/**
 * Replaces the code caches in a dist folder by one for each pinned Node.
 * @param {(what: string, error: Error) => void} leftOut Called for each that cannot be had.
 * @returns {string[]} The versions that have one.
 */
export function fillCodeCaches(dist, leftOut) {
  if (pinnedNodes.length === 0) {
    leftOut(
      "code caches",
      new Error(`no Node is pinned for ${process.platform}-${process.arch}; the building Node's stays`),
    );
    return [process.versions.node];
  }
  rmSync(join(dist, "cli/code-cache"), { recursive: true, force: true });
  return pinnedNodes.flatMap((node) => {
    try {
      return [fillCodeCache(dist, node)];
    } catch (error) {
      leftOut(`the code cache of Node ${node.version}`, error);
      return [];
    }
  });
}

function fillCodeCache(dist, node) {
  const program = nodeProgram(node);
  const script = resolve(import.meta.dirname, "../fill-code-cache.mjs");
  execFileSync(program, [script, dist], { stdio: ["ignore", "ignore", "pipe"] });
  const v8 = execFileSync(program, ["-p", "`${process.versions.v8}-${process.arch}`"], { encoding: "utf8" }).trim();
  if (!existsSync(join(dist, "cli/code-cache", v8))) throw new Error(`it filled no cache for V8 ${v8}`);
  return node.version;
}
