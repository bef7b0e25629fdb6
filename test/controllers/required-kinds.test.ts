import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { controllerNames } from "../../src/api/controllers/index.js";
import { missingKinds } from "../../src/controllers/required-kinds.js";

const src = join(import.meta.dirname, "../../src/controllers");

/** The group versions that a controller's folder names and that it works without, with the reason. */
const WORKS_WITHOUT: Readonly<Record<string, string>> = {
  "horizontal-pod-autoscaler-controller external.metrics.k8s.io/v1beta1": "is asked where an adapter serves it",
  "replicationcontroller-controller apps/v1": "stands in one file with the controller of ReplicaSets",
  "resourcequota-controller resource.k8s.io/v1": "device-classes.ts asks what the server serves",
  "storage-version-migrator-controller apiextensions.k8s.io/v1": "is asked when a migration of a custom resource ends",
};

/** Each controller with the file of src/controllers that manager.ts imports it from. */
function filesOfControllers(): readonly (readonly [name: string, file: string])[] {
  const manager = readFileSync(join(src, "manager.ts"), "utf8");
  const imported = new Map(
    [...manager.matchAll(/import \{([^}]+)\} from "\.\/([\w/-]+)\.js"/g)].flatMap(([, names = "", file = ""]) =>
      names.split(",").map((name) => [name.trim(), file] as const),
    ),
  );
  return [...manager.matchAll(/\["([\w-]+-controller)", (\w+)\]/g)].map(([, name = "", start = ""]) => [
    name,
    imported.get(start) ?? "",
  ]);
}

/** The versions of groups that the file names, or those beside it where it has a folder of its own. */
function versionsIn(file: string, isShared: boolean): ReadonlySet<string> {
  const path = join(src, `${file}.ts`);
  const folder = join(path, "..");
  const files = isShared
    ? [path]
    : readdirSync(folder, { encoding: "utf8" })
        .map((name) => join(folder, name))
        .filter((one) => statSync(one).isFile());
  const found = files.flatMap((one) => {
    const text = readFileSync(one, "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
    return [...text.matchAll(/"([a-z0-9.-]+\/v\d[a-z0-9]*)"/g)].map(([, version = ""]) => version);
  });
  return new Set(found);
}

test("this test finds the source file of each controller in manager.ts", () => {
  const files = filesOfControllers();
  expect(new Set(files.map(([name]) => name))).toEqual(new Set(controllerNames));
  expect(files.filter(([, file]) => file === "")).toEqual([]);
});

test("every API group version in a controller's source is one that it requires or can work without", () => {
  const files = filesOfControllers();
  const foldersOf = (file: string): string => file.split("/")[0] ?? "";
  const gaps = files.flatMap(([name, file]) => {
    const isShared = files.some(([other, path]) => other !== name && foldersOf(path) === foldersOf(file));
    const required = new Set(missingKinds(name as never, () => false).map(([version]) => version));
    return [...versionsIn(file, isShared)]
      .filter((version) => !required.has(version) && WORKS_WITHOUT[`${name} ${version}`] === undefined)
      .map((version) => `${name} ${version}`);
  });
  expect(gaps).toEqual([]);
});

test("a controller that uses only the core group requires no kinds", () => {
  expect(missingKinds("ttl-controller", () => false)).toEqual([]);
});

test("missingKinds() is empty for each controller when the server has all kinds", () => {
  expect(controllerNames.flatMap((name) => missingKinds(name, () => true))).toEqual([]);
});
