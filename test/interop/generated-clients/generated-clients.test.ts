import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, copyFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";

// Two generators of npm make types and clients of the documents that a server publishes; a program uses them against it.
const { clientGenerators } = (await import("../../helpers/build-foreign-clients.mjs" as string)) as {
  clientGenerators: () => { readonly folder?: string; readonly missing?: string };
};
const { folder: generators, missing } = clientGenerators();
if (missing !== undefined) process.stdout.write(`generated clients are skipped: ${missing}\n`);

interface V3Document {
  readonly paths: Record<string, unknown>;
  readonly components: { readonly schemas: Record<string, unknown> };
}

/** What several documents describe in the same words. */
function merged(documents: readonly V3Document[]): V3Document {
  const whole: V3Document = { paths: {}, components: { schemas: {} } };
  for (const { paths, components, ...rest } of documents) {
    Object.assign(whole, rest);
    mergeInto(whole.paths, paths);
    mergeInto(whole.components.schemas, components.schemas);
  }
  return whole;
}

function mergeInto(all: Record<string, unknown>, own: Readonly<Record<string, unknown>>): void {
  for (const [name, one] of Object.entries(own)) {
    if (Object.hasOwn(all, name)) expect(one, name).toEqual(all[name]);
    all[name] = one;
  }
}

const types = join(import.meta.dirname, "../../../node_modules/@types");

describe.skipIf(generators === undefined)("clients that are generated of the server's OpenAPI", () => {
  const folder = mkdtempSync(join(tmpdir(), "kubets-generated-"));
  const source = join(folder, "source");
  const program = join(folder, "program");
  let cluster: Cluster;

  /** What a program of Node printed; fails with it where the program fails. */
  const node = async (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> => {
    const ran = promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } });
    const { stdout } = await ran.catch((error: Error & { readonly stdout: string; readonly stderr: string }) => {
      throw new Error(`${args.join(" ")}\n${error.stdout}${error.stderr}`);
    });
    return stdout;
  };

  const read = async <T>(path: string): Promise<T> => {
    const { status, text } = await call(cluster.transport(), "GET", path);
    expect(status, path).toBe(200);
    return JSON.parse(text) as T;
  };

  beforeAll(async () => {
    cluster = await startCluster(quietCluster);
    mkdirSync(source);
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  });
  afterAll(async () => {
    await cluster.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test("all documents of version 3 are one: no two describe a path or a definition differently", async () => {
    const { paths: index } = await read<{ paths: Record<string, { serverRelativeURL: string }> }>("/openapi/v3");
    const documents = await Promise.all(
      Object.entries(index).map(async ([path, { serverRelativeURL }]) => {
        return [path, await read<V3Document>(serverRelativeURL)] as const;
      }),
    );
    const whole = merged(documents.map(([, one]) => one));
    expect(Object.keys(whole.paths).length).toBeGreaterThan(400);
    writeFileSync(join(folder, "v3.json"), JSON.stringify(whole));
    const used = documents.filter(([path]) => path === "api/v1" || path === "apis/apps/v1").map(([, one]) => one);
    writeFileSync(join(folder, "v3-used.json"), JSON.stringify(merged(used)));
    writeFileSync(join(folder, "v2.json"), JSON.stringify(await read("/openapi/v2")));
  });

  test("openapi-typescript and swagger-typescript-api take them, and what they write compiles with --strict", async () => {
    await node([join(generators ?? "", "generate.mjs"), folder, source]);
    copyFileSync(join(generators ?? "", "program.ts"), join(source, "program.ts"));
    const options = ["--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2023,dom", "--skipLibCheck"];
    const places = ["--types", "node", "--typeRoots", types, "--rootDir", source, "--outDir", program];
    const compiler = join(generators ?? "", "node_modules/typescript/lib/tsc.js");
    expect(await node([compiler, ...options, ...places, join(source, "program.ts")])).toBe("");
  });

  test("the clients create, list, patch, apply and delete ConfigMaps and Deployments", async () => {
    writeFileSync(join(folder, "ca.pem"), cluster.caCertificate);
    const printed = await node([join(program, "program.js")], {
      SERVER: cluster.url,
      TOKEN: cluster.token,
      NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"),
    });
    const seen = printed
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
    const expected = (client: string) => ({
      client,
      configMap: {
        created: { colour: "red" },
        listed: [client],
        patched: { colour: "red", size: "xl" },
        deleted: "Success",
      },
      replicas: [3],
      deployment: { listed: [[client, 3, "nginx:2"]], deleted: "Success", left: 0 },
    });
    expect(seen).toEqual([expected("v2"), expected("v3")]);
  });
});
