import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { builtInApi } from "../../../src/api/facts/index.js";
import { openApiV2Json } from "../../../src/api/openapi/index.js";
import { kubernetesFolder } from "../../helpers/kubernetes-1.20.js";

// The operations of OpenAPI 2 beside those that Kubernetes 1.20 published, for what both serve.
const specification = join(kubernetesFolder, "gopath/src/k8s.io/kubernetes/api/openapi-spec/swagger.json");
const isThere = existsSync(specification);
if (!isThere)
  process.stdout.write("the comparison with Kubernetes 1.20's OpenAPI is skipped: its source is not unpacked\n");

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly type?: string;
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly consumes?: readonly string[];
  readonly produces?: readonly string[];
  readonly schemes: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, { readonly schema?: unknown }>>;
  readonly "x-kubernetes-action"?: string;
  readonly "x-kubernetes-group-version-kind"?: unknown;
}

type PathItem = Readonly<Record<string, Operation>> & { readonly parameters?: readonly Parameter[] };

interface Document {
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly security: unknown;
}

/** Query parameters that came and went between the two. */
const CHANGED = new Set([
  "exact",
  "export",
  "fieldValidation",
  "sendInitialEvents",
  "ignoreStoreReadErrorWithClusterBreakingPotential",
  "stream",
]);

/** Status codes that came later: a patch may create. */
const codesOf = ({ responses, "x-kubernetes-action": action }: Operation): readonly string[] =>
  Object.keys(responses).filter((code) => action !== "patch" || code !== "201");

const parameterOf = ({ name, in: place, required = false, type = "" }: Parameter): string =>
  `${place} ${name} ${type}${required ? " required" : ""}`;

const parametersOf = (parameters: readonly Parameter[] = []): readonly string[] =>
  parameters
    .filter(({ name }) => !CHANGED.has(name))
    .map(parameterOf)
    .toSorted();

const schemasOf = ({ responses }: Operation): readonly unknown[] => {
  const { description: _, ...first } = { description: "", ...(responses["200"]?.schema as object | undefined) };
  return [first];
};

function shapeOf(operation: Operation): unknown {
  const { operationId, tags, consumes, produces, schemes } = operation;
  return {
    operationId,
    tags,
    consumes,
    produces,
    schemes,
    parameters: parametersOf(operation.parameters),
    codes: codesOf(operation),
    schemas: schemasOf(operation),
    action: operation["x-kubernetes-action"],
    kind: operation["x-kubernetes-group-version-kind"],
  };
}

/** Of what 1.36 has too, and has not changed since. */
const LATER: ReadonlySet<string> = new Set([
  // A deleted Service is the answer, and Services are deleted together, since 1.23.
  "/api/v1/namespaces/{namespace}/services/{name} delete",
  "/api/v1/namespaces/{namespace}/services delete",
  // The subresource had a kind of its own.
  "/api/v1/namespaces/{namespace}/pods/{name}/eviction post",
]);

describe.skipIf(!isThere)("our OpenAPI v2 document beside that of Kubernetes 1.20", () => {
  const theirs = (isThere ? JSON.parse(readFileSync(specification, "utf8")) : { paths: {} }) as Document;
  const ours = JSON.parse(new TextDecoder().decode(openApiV2Json(builtInApi()))) as Document;
  const paths = Object.keys(theirs.paths).filter((path) => !/beta|alpha/.test(path));

  test("has every path of a stable version, except for a server's log files and groups without a stable version", () => {
    const missing = paths.filter((path) => !Object.hasOwn(ours.paths, path));
    expect(missing).toEqual(["/apis/extensions/", "/apis/internal.apiserver.k8s.io/", "/logs/", "/logs/{logpath}"]);
  });

  test("has the same methods, operations and parameters at each path", () => {
    const differences: unknown[] = [];
    let compared = 0;
    for (const path of paths) {
      const [their, our] = [theirs.paths[path], ours.paths[path]];
      if (their === undefined || our === undefined) continue;
      const [theirShared, ourShared] = [parametersOf(their.parameters), parametersOf(our.parameters)];
      if (theirShared.join() !== ourShared.join()) differences.push({ path, theirs: theirShared, ours: ourShared });
      for (const method of new Set([...Object.keys(their), ...Object.keys(our)])) {
        if (method === "parameters" || LATER.has(`${path} ${method}`)) continue;
        compared += 1;
        const [theirShape, ourShape] = [their[method], our[method]].map((one) =>
          one === undefined ? one : shapeOf(one),
        );
        if (!isDeepStrictEqual(theirShape, ourShape)) {
          differences.push({ path, method, theirs: theirShape, ours: ourShape });
        }
      }
    }
    expect(compared).toBeGreaterThan(550);
    expect(differences.slice(0, 5)).toEqual([]);
  });

  test("declares the same bearer token authentication", () => expect(ours.security).toEqual(theirs.security));
});
