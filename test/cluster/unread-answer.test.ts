import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildWriter } from "../durability/writer-process.js";

let built: Awaited<ReturnType<typeof buildWriter>>;

beforeAll(async () => {
  built = await buildWriter("unread-answer", "test/cluster");
});
afterAll(() => built.remove());

test("a process that closes its cluster lives until an answer that a client has not read yet is sent", async () => {
  expect((await promisify(execFile)(process.execPath, [built.script])).stdout).toBe("closed");
});
