import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli } from "../helpers/run-cli.js";

let folder: string;
let port: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubets-retry-"));
  port = await closedPort();
});
afterAll(() => rm(folder, { recursive: true }));

/** A port where nobody listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

const run = async (line: string) => {
  await writeFile(join(folder, "config"), "");
  const env = { HOME: folder, KUBECONFIG: join(folder, "config") };
  const result = await runCli([...line.split(" "), `--server=http://127.0.0.1:${port}`], { env, cwd: folder });
  return { ...result, stderr: result.stderr.replaceAll(String(port), "PORT") };
};

const REFUSED = "The connection to the server 127.0.0.1:PORT was refused - did you specify the right host or port?\n";

test("--retry reports each repetition of a failed read, and ends with kubectl's error", async () => {
  const again = (wait: string, attempt: number): string =>
    `Trying again in ${wait} (${attempt} of 2): Get "http://127.0.0.1:PORT/healthz": dial tcp 127.0.0.1:PORT: connect: connection refused\n`;
  expect(await run("get --raw /healthz --retry=2")).toEqual({
    code: 1,
    stdout: "",
    stderr: again("0.5s", 1) + again("1s", 2) + REFUSED,
  });
});

test("without --retry a failed read is sent once", async () => {
  expect(await run("get --raw /healthz")).toEqual({ code: 1, stdout: "", stderr: REFUSED });
});

test("--retry never repeats a write", async () => {
  expect(await run("delete --raw /api/v1/namespaces/default/pods/a --retry=2")).toEqual({
    code: 1,
    stdout: "",
    stderr: REFUSED,
  });
});

test("a negative --retry is refused", async () => {
  expect((await run("get --raw /healthz --retry=-1")).stderr).toBe("error: --retry must not be less than zero\n");
});
