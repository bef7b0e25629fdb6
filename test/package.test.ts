import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");
const built = existsSync(join(root, "dist/types/cluster/index.d.ts"));
if (!built) process.stdout.write("the package test is skipped: dist/ is not built whole; run npm run build\n");

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(2)} MB`;

describe.skipIf(!built)("the packed tarball, installed with --ignore-scripts in an empty folder", () => {
  let folder: string;
  let tarball: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "kubets-package-"));
    // dist is built already: packing must not build it a second time under the other tests.
    run(root, "npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", folder);
    tarball = join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "");
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
    run(folder, "npm", "install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", tarball);
  }, 180_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("is at most 5 MB packed and 15 MB installed", () => {
    const packed = statSync(tarball).size;
    const installed = sizeOf(join(folder, "node_modules"));
    process.stdout.write(`package: ${megabytes(packed)} packed, ${megabytes(installed)} installed\n`);
    expect(packed).toBeLessThan(5_000_000);
    expect(installed).toBeLessThan(15_000_000);
  });

  test("`npx --no-install kubets version --client` runs", () => {
    expect(run(folder, "npx", "--no-install", "kubets", "version", "--client")).toMatch(
      /^Client Version: v1\.36\.\d+\n/,
    );
  });

  test("`cluster run` gives a command a cluster", () => {
    const names = run(
      folder,
      "npx",
      "--no-install",
      "kubets",
      "cluster",
      "run",
      "--",
      "kubets",
      "get",
      "ns",
      "-o",
      "name",
    );
    expect(names.trim().split("\n")).toEqual([
      "namespace/default",
      "namespace/kube-node-lease",
      "namespace/kube-public",
      "namespace/kube-system",
    ]);
  });

  test("what kubets/cluster and kubets/server export typechecks and runs", () => {
    const source = `import { startCluster } from "kubets/cluster";
const cluster = await startCluster({ port: false });
const answer = await cluster.transport().send({ method: "GET", path: "/version", headers: { authorization: \`Bearer \${cluster.token}\` } });
console.log(answer.status);
await cluster.close();
const { InvalidResourceError, startServer, struct } = await import("kubets/server");
const menus = { group: "cafe.example.com", resource: "menus", kind: "Menu", namespaced: true, versions: [{ version: "v1", schema: struct("Menu", {}) }] };
await using server = await startServer({ port: false, resources: [menus] });
console.log(server.registry.current.served.groups.map(({ name }) => name).join());
try {
  server.registry.install(menus);
} catch (error) {
  console.log(error instanceof InvalidResourceError);
}
`;
    writeFileSync(join(folder, "use.ts"), source);
    const compilerOptions = {
      module: "nodenext",
      target: "es2023",
      lib: ["es2023", "esnext.disposable", "dom"],
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      types: ["node"],
      typeRoots: [join(root, "node_modules/@types")],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["use.ts"] }));
    run(folder, process.execPath, join(root, "node_modules/typescript/bin/tsc"), "-p", folder);
    const script = source.replace("await using server", "const server").concat("await server.close();\n");
    writeFileSync(join(folder, "use.mjs"), script);
    expect(run(folder, process.execPath, "use.mjs")).toBe("200\ncafe.example.com\ntrue\n");
  });
});

function run(cwd: string, command: string, ...args: string[]): string {
  return execFileSync(command, args, {
    cwd,
    encoding: "utf8",
    env: { ...process.env, HOME: cwd, npm_config_cache: join(tmpdir(), "kubets-npm-cache") },
  });
}

function sizeOf(path: string): number {
  const stat = statSync(path);
  return stat.isDirectory() ? readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0) : stat.size;
}
