// @ts-expect-error plain JavaScript
import { nodeProgram, pinnedNodes } from "../../tools/release/code-caches.mjs";

/** The versions of Node that a release has code caches for, as far as npm has them here: names and programs. */
export const nodes: readonly (readonly [name: string, program: string])[] = (
  pinnedNodes as readonly { readonly version: string }[]
).flatMap((node) => {
  try {
    return [[`Node ${node.version}`, nodeProgram(node) as string] as const];
  } catch (error) {
    process.stdout.write(`tests with Node ${node.version} are skipped: ${(error as Error).message}\n`);
    return [];
  }
});
