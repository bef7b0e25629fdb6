import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startCluster } from "../../../../src/cluster/index.js";
import { readPodNodeSelectorConfiguration } from "../../../../src/server/admission/plugins/pod-node-selector.js";
import { readConfigurationDocument } from "../../../../src/machinery/text/yaml/configuration-document.js";
import { create, expectAnswer, expectTaken, textAt, merge, podOf, tryCreate } from "../../../helpers/admission-rows.js";
import { admittingServer, type AdmittingServer } from "../../../helpers/admitting-server.js";

const NAMESPACES = "/api/v1/namespaces";
const ANNOTATION = "scheduler.alpha.kubernetes.io/node-selector";
const CONFLICT = 'pods "p" is forbidden: pod node label selector conflicts with its namespace node label selector';
const FOREIGN = 'pods "p" is forbidden: pod node label selector labels conflict with its namespace whitelist';

let server: AdmittingServer;

beforeAll(async () => {
  const podNodeSelectorPluginConfig = {
    clusterDefaultNodeSelector: "region=west",
    limited: "region=west, env=test",
    broken: "a=b=c",
  };
  server = await admittingServer({
    enable: ["PodNodeSelector"],
    disable: ["ServiceAccount"],
    configuration: { PodNodeSelector: { podNodeSelectorPluginConfig } },
  });
  const annotations = {
    limited: undefined,
    broken: undefined,
    annotated: "env=prod,disk=ssd",
    empty: "",
    wordless: "env",
    misnamed: "a b=c",
    misvalued: "a=-",
    spaced: " env = prod , disk = ssd ",
  };
  for (const [name, selector] of Object.entries(annotations)) {
    const metadata = { name, ...(selector !== undefined && { annotations: { [ANNOTATION]: selector } }) };
    await expectTaken(create(server.api, NAMESPACES, { metadata }));
  }
});

afterAll(() => server[Symbol.asyncDispose]());

const attempt = (namespace: string, nodeSelector?: object) =>
  tryCreate(server.api, `${NAMESPACES}/${namespace}/pods`, podOf({ nodeSelector }));

describe("the admission plugin PodNodeSelector", () => {
  const merged: readonly (readonly [title: string, namespace: string, own: object | undefined, expected: unknown])[] = [
    ["a pod gets the cluster's selector", "default", undefined, { region: "west" }],
    ["a pod keeps its own labels beside it", "default", { disk: "ssd" }, { region: "west", disk: "ssd" }],
    ["a pod may name the same label", "default", { region: "west" }, { region: "west" }],
    ["a namespace with an annotation has its own selector", "annotated", undefined, { env: "prod", disk: "ssd" }],
    [
      "labels beside the annotation's stay",
      "annotated",
      { region: "east" },
      { env: "prod", disk: "ssd", region: "east" },
    ],
    ["an empty annotation keeps the cluster's selector away", "empty", undefined, undefined],
    ["spaces in an annotation do not count", "spaced", undefined, { env: "prod", disk: "ssd" }],
    ["a pod may have what the whitelist has", "limited", { env: "test" }, { region: "west", env: "test" }],
  ];
  test.each(merged)("%s", async (_, namespace, own, expected) => {
    expect((await expectTaken(attempt(namespace, own))).at("spec.nodeSelector")).toEqual(expected);
  });

  const refusals: readonly (readonly [
    title: string,
    namespace: string,
    own: object | undefined,
    message: string,
    status: number,
  ])[] = [
    ["another value than the cluster's is refused", "default", { region: "east" }, CONFLICT, 403],
    ["another value than the annotation's is refused", "annotated", { env: "test" }, CONFLICT, 403],
    ["a label that the whitelist does not have is refused", "limited", { disk: "ssd" }, FOREIGN, 403],
    ["another value than the whitelist's is refused", "limited", { env: "prod" }, FOREIGN, 403],
    ["an annotation without a value is the server's fault", "wordless", undefined, "invalid selector: [env]", 500],
    ["a whitelist with two values is the server's fault", "broken", undefined, "invalid selector: [a b c]", 500],
    [
      "a namespace that is not there has no selector",
      "nowhere",
      undefined,
      "Internal error occurred: namespace nowhere does not exist",
      500,
    ],
  ];
  test.each(refusals)("%s", async (_, namespace, own, message, status) => {
    const lax =
      namespace === "nowhere"
        ? await admittingServer({ enable: ["PodNodeSelector"], disable: ["ServiceAccount", "NamespaceLifecycle"] })
        : server;
    await expectAnswer(
      tryCreate(lax.api, `${NAMESPACES}/${namespace}/pods`, podOf({ nodeSelector: own })),
      message,
      status,
    );
    if (lax !== server) await lax[Symbol.asyncDispose]();
  });

  test.each([
    ["misnamed", '<nil>: Invalid value: "a b": name part must consist of'],
    ["misvalued", '[a]: Invalid value: "-": a valid label must be'],
  ])("names the fault in a wrong annotation of the namespace %s", async (namespace, begin) => {
    const answer = await attempt(namespace);
    expect([answer.status, textAt(answer, "message").slice(0, begin.length)]).toEqual([500, begin]);
  });

  test("ignores updates", async () => {
    await expectTaken(create(server.api, `${NAMESPACES}/annotated/pods`, podOf()));
    await expectTaken(
      merge(server.api, `${NAMESPACES}/annotated`, { metadata: { annotations: { [ANNOTATION]: "env=test" } } }),
    );
    await expectTaken(merge(server.api, `${NAMESPACES}/annotated/pods/p`, { metadata: { labels: { a: "b" } } }));
  });
});

describe("the configuration of PodNodeSelector", () => {
  const read = (text: string) => readPodNodeSelectorConfiguration(readConfigurationDocument(text));

  test.each([
    ["nothing", "", {}],
    ["another key", "imagePolicy: {}", {}],
    [
      "selectors",
      "podNodeSelectorPluginConfig: {clusterDefaultNodeSelector: a=b, ns: c=d}",
      { podNodeSelectorPluginConfig: { clusterDefaultNodeSelector: "a=b", ns: "c=d" } },
    ],
  ])("is accepted: %s", (_, text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  test.each([
    ["a list", "podNodeSelectorPluginConfig: []", "podNodeSelectorPluginConfig must be a map of texts"],
    [
      "a number in it",
      "podNodeSelectorPluginConfig: {ns: 1}",
      'podNodeSelectorPluginConfig["ns"] must be a text like "region=west,env=test"',
    ],
  ])("is refused: %s", (_, text, message) => {
    expect(() => read(text)).toThrow(new Error(message));
  });

  test("comes from a file, also from one in the older form", async () => {
    const folder = await mkdtemp(join(tmpdir(), "pod-node-selector-"));
    try {
      const configuration = { podNodeSelectorPluginConfig: { clusterDefaultNodeSelector: "region=west" } };
      const current = {
        apiVersion: "apiserver.config.k8s.io/v1",
        kind: "AdmissionConfiguration",
        plugins: [{ name: "PodNodeSelector", configuration }],
      };
      for (const content of [current, configuration]) {
        const configurationFile = join(folder, "admission.json");
        await writeFile(configurationFile, JSON.stringify(content));
        const admission = { enable: ["PodNodeSelector"], disable: ["ServiceAccount"], configurationFile };
        await using cluster = await startCluster({ port: false, controllers: false, admission });
        const made = await expectTaken(tryCreate(cluster.transport(), `${NAMESPACES}/default/pods`, podOf()));
        expect(made.at("spec.nodeSelector")).toEqual({ region: "west" });
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
