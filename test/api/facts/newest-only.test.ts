import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { releaseOf, SERVED_VERSIONS } from "../../../src/api/facts/index.js";
import { allDefinitionsOf } from "../../../src/api/facts/unpublished.js";
import type { Schema, StructSchema } from "../../../src/machinery/schema/schema.js";

// What runs in a server, or beside one, asks the server's release. These files take types of the newest version without asking, each for types
// that are the same in every version that is served; or they are named with the reason.
const src = join(import.meta.dirname, "../../../src");

const CORE = "io.k8s.api.core.v1";
const META = "io.k8s.apimachinery.pkg.apis.meta.v1";

const SAME_IN_ALL: Readonly<Record<string, readonly string[]>> = {
  "api/admission/declared-kinds.ts": [`${META}.ObjectMeta`],
  "api/validation/apiextensions/schema-defaults.ts": [`${META}.ObjectMeta`],
  "controllers/service-endpoints/hash-order.ts": [
    `${CORE}.EndpointPort`,
    `${CORE}.EndpointSubset`,
    "io.k8s.api.discovery.v1.EndpointPort",
  ],
  "server/api-registry/own-types.ts": [`${META}.ObjectMeta`, `${META}.ListMeta`],
  "server/builtin/core/pods/pod-binding.ts": [`${CORE}.Binding`],
  "server/builtin/core/pods/pod-eviction.ts": ["io.k8s.api.policy.v1.Eviction"],
  "server/endpoints/meta-kinds.ts": [
    `${META}.DeleteOptions`,
    `${META}.ListMeta`,
    `${META}.PartialObjectMetadata`,
    `${META}.Status`,
    `${META}.Table`,
    "io.k8s.api.autoscaling.v1.Scale",
  ],
  "server/endpoints/verbs/connect.ts": [
    `${CORE}.NodeProxyOptions`,
    `${CORE}.PodAttachOptions`,
    `${CORE}.PodExecOptions`,
    `${CORE}.PodPortForwardOptions`,
    `${CORE}.PodProxyOptions`,
    `${CORE}.ServiceProxyOptions`,
  ],
  "server/extensions/custom-version.ts": [`${META}.ObjectMeta`],
  "server/webhook/read-review.ts": [
    "io.k8s.api.admission.v1.AdmissionReview",
    "io.k8s.api.admission.v1beta1.AdmissionReview",
  ],
};

const REASONS: Readonly<Record<string, string>> = {
  "api/conversion/autoscaling/annotations.ts": "decoding and pruning have dropped what an older version does not know",
  "api/scheme/all.ts": "its default, for code without a server",
  "api/scheme/published.ts": "its default, for code without a server",
  "api/validation/apiextensions/warnings.ts": "a hook without a context warns of names that the newest version has",
  "cluster/apiserver/option-faults.ts": "names of groups are checked before the release is loaded",
  "cluster/open-storage.ts": "its default, for commands that read a storage without a server",
  "cluster/programs/port-access.ts": "the port of a program serves no API",
  "cluster/stored/decode-value.ts": "reads a storage without a server",
  "cluster/stored/expected-key.ts": "reads a storage without a server",
  "cluster/stored/losses.ts": "compares what is stored with an older version",
  "controllers/manager.ts": "its default, for controllers without a server",
  "server/generic/server.ts": "its default, for servers in tests",
};

const NEWEST =
  /\b(schemaFor|structOf|definitionOf|kindsOf|definitionNames|publishedDefinitions|resources|servedResources|servedGroups|servedGroupVersions|builtInApi|allDefinitions|newestRelease|unionsOf)\b/;

test("source files that use types of the newest Kubernetes version only are listed in this test, with the types or a reason", () => {
  const found = ["api", "cluster", "controllers", "node", "scheduler", "server"].flatMap((floor) =>
    readdirSync(join(src, floor), { recursive: true, encoding: "utf8" })
      .map((path) => `${floor}/${path.replaceAll("\\", "/")}`)
      .filter((path) => path.endsWith(".ts") && !path.startsWith("api/facts/"))
      .filter((path) => {
        const lines = readFileSync(join(src, path), "utf8").split(/;\n/);
        return lines.some(
          (line) =>
            (/facts\/(index|newest-release|releases|unpublished)\.js"/.test(line) && NEWEST.test(line)) ||
            /\ballScheme\(\)|\bpublishedScheme\(\)/.test(line),
        );
      }),
  );
  expect(found.toSorted()).toEqual([...Object.keys(SAME_IN_ALL), ...Object.keys(REASONS)].toSorted());
});

test("K37-265: code that asks which Kubernetes version is served names the requirement in a comment beside it", () => {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
  const places = files.flatMap((path) => {
    const lines = readFileSync(join(src, path), "utf8").split("\n");
    return lines.flatMap((line, at) =>
      line.includes('.atLeast("') ? [{ path, text: lines.slice(Math.max(0, at - 3), at + 1).join("\n") }] : [],
    );
  });
  expect(places.length).toBeGreaterThan(0);
  expect(places.filter(({ text }) => !/K3\d-\d{3}/.test(text)).map(({ path }) => path)).toEqual([]);
});

test("K37-265: types that such source files use are the same in every served Kubernetes version", async () => {
  const releases = await Promise.all(SERVED_VERSIONS.map((version) => releaseOf(version)));
  for (const name of new Set(Object.values(SAME_IN_ALL).flat())) {
    const [newest, ...older] = releases.map((release) => describe(allDefinitionsOf(release).structOf(name)));
    expect(newest, name).not.toBe("");
    for (const one of older) expect(one, name).toBe(newest);
  }
});

/** A type and all that it leads to, as text; "" for a type that there is not. */
function describe(struct: StructSchema | undefined): string {
  const types = new Map<string, string>();
  const walk = (schema: Schema): string => {
    if (schema.type === "list") return `[]${walk(schema.items)}`;
    if (schema.type === "map") return `{}${walk(schema.values)}`;
    if (schema.type === "scalar") return JSON.stringify(schema);
    const name = schema.definition ?? "";
    if (!types.has(name)) {
      types.set(name, "");
      const fields = schema.fields.map(({ schema: of, ...field }) => `${JSON.stringify(field)} ${walk(of)}`);
      types.set(name, fields.join("\n"));
    }
    return name;
  };
  return struct === undefined ? "" : walk(struct) + JSON.stringify([...types]);
}
