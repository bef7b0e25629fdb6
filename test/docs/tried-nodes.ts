import { nodes } from "../release/nodes.js";

const pinned = nodes.filter(([name]) => /^Node 2[04]\./.test(name));

/**
 * The versions of Node that programs and scripts of the docs run on, names and programs: the oldest that is supported, and the first
 * that has `await using` and runs TypeScript. Where npm has neither of them here, the Node that runs the tests.
 */
export const triedNodes: readonly (readonly [name: string, program: string])[] =
  pinned.length > 0 ? pinned : [[`Node ${process.versions.node}`, process.execPath]];
