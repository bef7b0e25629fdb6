import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
// @ts-expect-error plain JavaScript
import { billOfMaterials } from "../../../tools/release/bill-of-materials.mjs";
// @ts-expect-error plain JavaScript
import { bundledLicences } from "../../../tools/release/licences.mjs";

const root = resolve(import.meta.dirname, "../../..");

interface Component {
  readonly name: string;
  readonly version: string;
  readonly type: string;
  readonly purl: string;
  readonly hashes: readonly { readonly alg: string; readonly content: string }[];
  readonly properties?: readonly { readonly name: string }[];
}

// Skipped where dist/ is not built: what is in it is the question.
describe.skipIf(!existsSync(join(root, "dist/metafile.json")))("the bill of materials of a release", () => {
  let components: readonly Component[];
  let bill: {
    readonly bomFormat: string;
    readonly metadata: { readonly component: Component };
    readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
  };

  beforeAll(() => {
    const whole = billOfMaterials(root, ["linux-x64"]);
    bill = whole;
    components = whole.components;
  });

  const named = (name: string): Component | undefined => components.find((component) => component.name === name);

  test("describes kubets in CycloneDX", () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
    expect(bill.bomFormat).toBe("CycloneDX");
    expect(bill.metadata.component).toMatchObject({ name: "kubets", version, purl: `pkg:npm/kubets@${version}` });
  });

  test("lists the packages whose code dist/ contains, and none that only build or test", () => {
    for (const name of ["commander", "undici", "re2js", "@grpc/grpc-js", "protobufjs"])
      expect(named(name)).toBeDefined();
    for (const name of ["typescript", "vitest", "esbuild", "libsql", "ws", "@types/node"])
      expect(named(name)).toBeUndefined();
  });

  test("lists none of them as a development dependency, although npm does", () => {
    const properties = components.flatMap((component) => component.properties ?? []);
    expect(properties.filter(({ name }) => name === "cdx:npm:package:development")).toEqual([]);
  });

  test("has the hash of the runtime in an executable", () => {
    const { targets, version } = JSON.parse(readFileSync(join(root, "tools/executable/runtimes.json"), "utf8"));
    const { package: name, integrity } = targets["linux-x64"];
    const runtime = named(name);
    expect(runtime).toMatchObject({
      type: "platform",
      version,
      purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    });
    expect(`sha512-${Buffer.from(runtime?.hashes[0]?.content ?? "", "hex").toString("base64")}`).toBe(integrity);
  });

  test("has each dependency among its components", () => {
    const refs = bill.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]);
    const known = [bill.metadata.component, ...components].map(({ name, version }) => `${name}@${version}`);
    expect(refs.filter((ref) => !known.includes(ref))).toEqual([]);
  });

  test("has licences that the packages contain", () => {
    const licences = bundledLicences(root, { runtime: true }) as string;
    for (const { name, version, type } of components) {
      expect(licences).toContain(type === "platform" ? `## bun ${version}\n` : `## ${name} ${version}\n`);
    }
    expect(licences).toContain("Copyright (c) Matteo Collina and Undici contributors");
  });
});
