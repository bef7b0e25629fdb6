import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compileBlocks } from "./docs/compile-blocks.js";
import { slugOf } from "./docs/markdown-blocks.js";
import { packageMissing, type PackedProject, packedProject } from "./helpers/packed-project.js";

if (packageMissing !== undefined) process.stdout.write(`the package test is skipped: ${packageMissing}\n`);

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(2)} MB`;

describe.skipIf(packageMissing !== undefined)(
  "the packed npm package, installed with --ignore-scripts in an empty folder",
  () => {
    let project: PackedProject;
    let folder: string;
    const run = (command: string, ...args: string[]): string => project.run(command, ...args);

    beforeAll(() => {
      project = packedProject();
      folder = project.folder;
    });
    afterAll(() => project.remove());

    test("is at most 5 MB packed and 15 MB installed", () => {
      const packed = statSync(project.tarball).size;
      const installed = sizeOf(join(folder, "node_modules"));
      process.stdout.write(`package: ${megabytes(packed)} packed, ${megabytes(installed)} installed\n`);
      expect(packed).toBeLessThan(5_000_000);
      expect(installed).toBeLessThan(15_000_000);
    });

    test("`npx --no-install kubets version --client` runs", () => {
      expect(run("npx", "--no-install", "kubets", "version", "--client")).toMatch(/^Client Version: v1\.37\.\d+\n/);
    });

    test("`cluster run` gives a command a cluster", () => {
      const names = run("npx", "--no-install", "kubets", "cluster", "run", "--", "kubets", "get", "ns", "-o", "name");
      expect(names.trim().split("\n")).toEqual([
        "namespace/default",
        "namespace/kube-node-lease",
        "namespace/kube-public",
        "namespace/kube-system",
      ]);
    });

    test("exports kubets/cluster and kubets/server, which typecheck and run", () => {
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
      project.compile(["use.ts"], { module: "nodenext", noEmit: true });
      const script = source.replace("await using server", "const server").concat("await server.close();\n");
      writeFileSync(join(folder, "use.mjs"), script);
      expect(run(process.execPath, "use.mjs")).toBe("200\ncafe.example.com\ntrue\n");
    });

    test("typechecks the code of README.md and the docs, programs and fragments", () => {
      compileBlocks(project, { emits: false });
    });

    test("has pages whose relative links lead to a file of the package, and to a heading of it", () => {
      const installed = join(folder, "node_modules/kubets");
      const pages = readdirSync(installed, { recursive: true, encoding: "utf8" }).filter((path) =>
        path.endsWith(".md"),
      );
      expect(pages).toEqual(
        expect.arrayContaining(["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/library.md"]),
      );
      const links = pages.flatMap((page) => {
        const text = readFileSync(join(installed, page), "utf8");
        return linksOf(text).map((target) => ({ page, target }));
      });
      expect(links.length).toBeGreaterThan(40);
      const dead = links.filter(({ page, target }) => {
        const [path = "", anchor] = target.split("#");
        const file = path === "" ? join(installed, page) : join(installed, dirname(page), path);
        if (!existsSync(file)) return true;
        return anchor !== undefined && !anchorsOf(readFileSync(file, "utf8")).includes(anchor);
      });
      expect(dead).toEqual([]);
    });

    test("contains exactly the declaration files that a public entry reaches", () => {
      const installed = join(folder, "node_modules/kubets");
      const shipped = readdirSync(installed, { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith(".d.ts"))
        .map((path) => join(installed, path));
      const reached = new Set<string>();
      const open = typeEntries(installed, shipped);
      for (let file = open.pop(); file !== undefined; file = open.pop()) {
        if (reached.has(file)) continue;
        reached.add(file);
        const code = readFileSync(file, "utf8").replaceAll(/\/\*[\s\S]*?\*\//g, "");
        for (const match of code.matchAll(/(?:\bfrom |\bimport\()"(\.[^"]+)\.js"/g)) {
          open.push(join(dirname(file), `${match[1]}.d.ts`));
        }
      }
      expect(shipped.filter((file) => !reached.has(file))).toEqual([]);
      expect([...reached].filter((file) => !shipped.includes(file))).toEqual([]);
      const bytes = shipped.reduce((sum, file) => sum + statSync(file).size, 0);
      process.stdout.write(`declarations: ${shipped.length} files, ${megabytes(bytes)}\n`);
      expect(bytes).toBeLessThan(880_000);
    });

    test.each([
      ["nodenext", "nodenext"],
      ["node16", "node16"],
      ["esnext", "bundler"],
    ])(
      "gives a strict project its API types, and lets it add kinds: module %s, moduleResolution %s",
      (module, resolution) => {
        writeFileSync(join(folder, "operator.ts"), OPERATOR);
        writeFileSync(join(folder, "widget.ts"), WIDGET);
        project.compile(["operator.ts", "widget.ts"], {
          module,
          moduleResolution: resolution,
          exactOptionalPropertyTypes: true,
          verbatimModuleSyntax: true,
          noEmit: true,
        });
      },
    );

    test.each(["kubets/api", "kubets/api/apps/v1"])(
      "exports %s as types only: Node refuses to load it",
      async (specifier) => {
        const script = `await import(${JSON.stringify(specifier)}).catch(({ code }) => console.log(code));`;
        expect(run(process.execPath, "--input-type=module", "-e", script)).toBe("ERR_PACKAGE_PATH_NOT_EXPORTED\n");
      },
    );
  },
);

const OPERATOR = `import { kubernetesClient, type KubeObject, loadConfig, type ObjectMeta, type ResourceClient } from "kubets";
import type { Deployment, Pod } from "kubets/api";
import type * as appsV1 from "kubets/api/apps/v1";
import type * as coreV1 from "kubets/api/core/v1";
import { applyObject } from "kubets/actions";
import { startCluster } from "kubets/cluster";
import { startServer } from "kubets/server";
import type { Widget } from "./widget.js";

interface Gadget {
  metadata?: ObjectMeta;
  count: number;
}
declare module "kubets" {
  interface ApiKinds {
    "example.com/v1/Gadget": Gadget;
  }
}

const client = kubernetesClient(await loadConfig());
export const deployments: ResourceClient<Deployment> = client.of("apps/v1", "Deployment");
export const sameDeployments: ResourceClient<appsV1.Deployment> = deployments;
export const widgets: ResourceClient<Widget> = client.of("example.com/v1", "Widget");
export const count: number = (await client.of("example.com/v1", "Gadget").namespace("default").get("a")).count;
export const things: ResourceClient<KubeObject> = client.of("other.example.com/v1", "Thing");
export const pod: coreV1.Pod = { metadata: { name: "a" }, spec: { containers: [{ name: "a", image: "nginx" }] } };
export const meta: ObjectMeta = pod.metadata ?? {};
// @ts-expect-error a typing mistake
client.of("apps/v1", "Deploymnet");
// @ts-expect-error a pod needs containers
export const empty: Pod = { spec: {} };
export const functions = [applyObject, startCluster, startServer];
`;

const WIDGET = `import type { ObjectMeta } from "kubets";

export interface Widget {
  apiVersion?: "example.com/v1";
  kind?: "Widget";
  metadata?: ObjectMeta;
  spec: { size: number };
}
declare module "kubets" {
  interface ApiKinds {
    "example.com/v1/Widget": Widget;
  }
}
`;

/** The declaration files that the exports of an installed package name. */
function typeEntries(installed: string, shipped: readonly string[]): string[] {
  const { exports } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as {
    exports: Record<string, { readonly types?: string }>;
  };
  return Object.values(exports).flatMap(({ types }) => {
    if (types === undefined) return [];
    const [before = "", after] = join(installed, types).split("*");
    return after === undefined ? [before] : shipped.filter((path) => path.startsWith(before) && path.endsWith(after));
  });
}

/** Where a page's links and pictures lead, but those to other sites. */
function linksOf(page: string): string[] {
  const prose = page.replaceAll(/^```[^]*?^```$/gm, "").replaceAll(/`[^`\n]*`/g, "code");
  const targets = [
    ...[...prose.matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = ""]) => target),
    ...[...prose.matchAll(/\b(?:src|srcset|href)="([^"]+)"/g)].map(([, target = ""]) => target),
  ];
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors of a page's headings. */
const anchorsOf = (page: string): string[] =>
  [...page.replaceAll(/^```[^]*?^```$/gm, "").matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => slugOf(heading));

function sizeOf(path: string): number {
  const stat = statSync(path);
  return stat.isDirectory() ? readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0) : stat.size;
}
