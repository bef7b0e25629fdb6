import { expect, test } from "vitest";
// @ts-expect-error plain JavaScript
import { publicDeclarations } from "../../tools/public-declarations.mjs";

const keep = (files: Record<string, string>, ...entries: string[]): Record<string, string> => {
  const texts = Object.entries(files).map(([path, text]) => [path, `${text.trim()}\n`] as const);
  return Object.fromEntries(publicDeclarations(new Map(texts), entries, ["peer"]) as Map<string, string>);
};

test("the build's declaration files keep what the entry exports and refers to, with comments", () => {
  const kept = keep(
    {
      "index.d.ts": `export { start, type Options as StartOptions } from "./server/start.js";`,
      "server/start.d.ts": `
import type { Clock, Timers } from "../base/clock.js";
import { Server } from "./server.js";
/** How to start. */
export interface Options extends Base {
    readonly clock: Clock;
}
interface Base {
    readonly port: number;
}
/** Starts. */
export declare function start(options: Options): Promise<Server>;
export declare function start(port: number): Promise<Server>;
/** Of interest to Timers only. */
export declare const later: Timers;
export {};`,
      "server/server.d.ts": `
import type { Secret } from "./secret.js";
export declare class Server {
    private readonly secret;
    close(): void;
}
export declare function internal(secret: Secret): void;`,
      "server/secret.d.ts": `export interface Secret {}`,
      "base/clock.d.ts": `
export interface Clock {
    now(): number;
}
export interface Timers {}`,
    },
    "index.d.ts",
  );
  expect(Object.keys(kept).sort()).toEqual([
    "base/clock.d.ts",
    "index.d.ts",
    "server/server.d.ts",
    "server/start.d.ts",
  ]);
  expect(kept["server/start.d.ts"]).toBe(`import type { Clock } from "../base/clock.js";
import { Server } from "./server.js";
/** How to start. */
export interface Options extends Base {
    readonly clock: Clock;
}
interface Base {
    readonly port: number;
}
/** Starts. */
export declare function start(options: Options): Promise<Server>;
export declare function start(port: number): Promise<Server>;
export {};
`);
  expect(kept["base/clock.d.ts"]).not.toContain("Timers");
  expect(kept["server/server.d.ts"]).not.toMatch(/internal|Secret/);
});

test("the build's declaration files follow `export *`, namespaces, imports in types and later exports", () => {
  const kept = keep(
    {
      "index.d.ts": `export * from "./client.js";`,
      "client.d.ts": `
import type * as v1 from "./v1.js";
type Result =
/** Nothing happened. */
{
    readonly none: true;
} | import("./result.js").Some;
export type Kinds = v1.Pod;
declare const MARK: unique symbol;
export { Result, MARK as TheMark };`,
      "v1.d.ts": `
export interface Pod {}
export interface Node {}`,
      "result.d.ts": `
export interface Some {}
export interface Other {}`,
      "unused.d.ts": `export interface Unused {}`,
    },
    "index.d.ts",
  );
  expect(Object.keys(kept).sort()).toEqual(["client.d.ts", "index.d.ts", "result.d.ts", "v1.d.ts"]);
  expect(kept["client.d.ts"]).toContain("declare const MARK");
  expect(kept["v1.d.ts"]).toContain("Node");
  expect(kept["result.d.ts"]).toBe("export interface Some {}\n");
});

test("the build refuses a public declaration that needs another package's types", () => {
  const files = { "index.d.ts": `import type { Pool } from "undici";\nexport declare const pool: Pool;` };
  expect(() => keep(files, "index.d.ts")).toThrow("the public declarations of index.d.ts need the package undici");
});

test("the build keeps a declaration that needs a peer dependency's types, because its users have that", () => {
  const files = { "index.d.ts": `import type { Pool } from "peer";\nexport declare const pool: Pool;` };
  expect(keep(files, "index.d.ts")["index.d.ts"]).toContain('from "peer"');
});

test("the build refuses an export that does not exist", () => {
  const files = { "index.d.ts": `export { gone } from "./other.js";`, "other.d.ts": `export declare const here: 1;` };
  expect(() => keep(files, "index.d.ts")).toThrow("index.d.ts imports gone from other.d.ts, which lacks it");
});
