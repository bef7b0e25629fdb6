import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AdmissionPlugin } from "../../../../src/server/admission/plugin.js";
import { create, expectRefused, expectTaken, merge, podOf, PODS, tryCreate } from "../../../helpers/admission-rows.js";
import { admittingServer, type AdmittingServer } from "../../../helpers/admitting-server.js";
import { call } from "../../../helpers/api-caller.js";

let server: AdmittingServer;

beforeAll(async () => {
  server = await admittingServer({ enable: ["AlwaysPullImages"] });
});

afterAll(() => server[Symbol.asyncDispose]());

const container = (imagePullPolicy?: string, name = "c"): object => ({
  name,
  image: "i:1",
  ...(imagePullPolicy !== undefined && { imagePullPolicy }),
});
const image = (pullPolicy?: string): object => ({
  name: "v",
  image: { reference: "r", ...(pullPolicy !== undefined && { pullPolicy }) },
});

describe("the admission plugin AlwaysPullImages", () => {
  const rows: readonly (readonly [title: string, spec: object, path: string])[] = [
    ["a container that names no policy", { containers: [container()] }, "spec.containers.0.imagePullPolicy"],
    [
      "a container that pulls if it must",
      { containers: [container("IfNotPresent")] },
      "spec.containers.0.imagePullPolicy",
    ],
    ["a container that never pulls", { containers: [container("Never")] }, "spec.containers.0.imagePullPolicy"],
    ["a container that always pulls", { containers: [container("Always")] }, "spec.containers.0.imagePullPolicy"],
    [
      "the second container",
      { containers: [container(), container("Never", "d")] },
      "spec.containers.1.imagePullPolicy",
    ],
    ["an init container", { initContainers: [container("Never", "first")] }, "spec.initContainers.0.imagePullPolicy"],
    ["a volume of an image", { volumes: [image("Never")] }, "spec.volumes.0.image.pullPolicy"],
    ["a volume of an image that names no policy", { volumes: [image()] }, "spec.volumes.0.image.pullPolicy"],
  ];
  test.each(rows)("sets the pull policy Always for %s", async (_, spec, path) => {
    const made = await expectTaken(tryCreate(server.api, PODS, podOf(spec)));
    expect(made.at(path)).toBe("Always");
  });

  test("sets Always also in an update with another image", async () => {
    await expectTaken(create(server.api, PODS, podOf({ containers: [container("Never")] }, { name: "changing" })));
    const path = `${PODS}/changing`;
    const labelled = await expectTaken(merge(server.api, path, { metadata: { labels: { a: "b" } } }));
    expect(labelled.at("spec.containers.0.imagePullPolicy")).toBe("Always");
    const moved = await expectTaken(
      call(
        server.api,
        "PATCH",
        path,
        { spec: { containers: [{ name: "c", image: "i:2" }] } },
        { type: "application/strategic-merge-patch+json" },
      ),
    );
    expect(moved.at("spec.containers.0")).toMatchObject({ image: "i:2", imagePullPolicy: "Always" });
  });
});

describe("AlwaysPullImages, when a later plugin changes the pod", () => {
  let spoils: object = {};
  const plugin: AdmissionPlugin = {
    name: "Spoils",
    handles: (operation, { resource, subresource }) =>
      operation === "CREATE" && resource === "pods" && subresource === "",
    admit({ object }) {
      Object.assign(object?.["spec"] as object, structuredClone(spoils));
    },
  };
  let spoiled: AdmittingServer;

  beforeAll(async () => {
    spoiled = await admittingServer({
      enable: ["AlwaysPullImages"],
      disable: ["ServiceAccount"],
      plugins: [{ plugin }],
    });
  });

  afterAll(() => spoiled[Symbol.asyncDispose]());

  const wrong = (path: string, value: string): string =>
    `pods "p" is forbidden: ${path}: Unsupported value: "${value}": supported values: "Always"`;
  const rows: readonly (readonly [title: string, spec: object, message: string])[] = [
    [
      "a container is refused with its path",
      { containers: [container("Never")] },
      wrong("spec.containers[0].imagePullPolicy", "Never"),
    ],
    [
      "an init container is refused with its path",
      { initContainers: [container("IfNotPresent", "first")] },
      wrong("spec.initContainers[0].imagePullPolicy", "IfNotPresent"),
    ],
    [
      "two of them are refused together",
      { containers: [container("Never"), container("IfNotPresent", "d")] },
      `[${wrong("spec.containers[0].imagePullPolicy", "Never")}, ${wrong("spec.containers[1].imagePullPolicy", "IfNotPresent")}]`,
    ],
    [
      "a volume of an image is refused with its path",
      { volumes: [image("Never")] },
      wrong("spec.volumes[0].image.pullPolicy", "Never"),
    ],
  ];
  test.each(rows)("%s", async (_, spec, message) => {
    spoils = spec;
    await expectRefused(tryCreate(spoiled.api, PODS, podOf()), message, 500);
  });
});
