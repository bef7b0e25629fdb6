import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { openImageScripts } from "../../src/cluster/image-scripts.js";
import type { JsonObject } from "../../src/machinery/meta/json.js";
import { call } from "../helpers/api-caller.js";
import { eventually } from "../helpers/eventually.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubets-image-scripts-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function fileOf(text: string): Promise<string> {
  const file = join(folder, "scripts.yaml");
  await writeFile(file, text);
  return file;
}

describe("a file with scripts that run in place of images", () => {
  test.each([
    ["nothing", "", "the file is empty; give a list of {image"],
    ["no list", "image: a\nscript: b\n", "line 1: not a list; give a list of"],
    ["a text in the list", "# scripts\n- image: a\n  script: b\n- c\n", "line 4: not an object; give a list of"],
    ["no script", "- image: a\n  script: b\n- image: c\n", "line 3: the entry has no script"],
    ["no image", "- script: b\n", "line 1: the entry has no image"],
    ["an empty image", '- image: ""\n  script: b\n', "line 1: image is empty"],
    ["a field too many", "- image: a\n  run: b\n", 'line 2: unknown field "run"; an entry has image and script'],
    ["a field of all objects", "- __proto__: a\n", 'line 1: unknown field "__proto__"'],
    ["a field twice", "- image: a\n  image: b\n", "line 2: the entry has image twice"],
    ["a number", "- image: a\n  script: 5\n", "line 2: script must be a string"],
    ["a list as script", "- image: a\n  script: [b]\n", "line 2: script must be a string"],
    ["a syntax error of YAML", "- image: a\n  script: 'b\n", "line 3: error converting YAML to JSON: yaml:"],
    [
      "a syntax error of the shell",
      "- image: a\n  script: |\n    echo one\n    if true; then\n    done\n",
      'line 5: script: Syntax error: "done" unexpected',
    ],
    [
      "a script without its end",
      "- {image: a, script: 'while true; do'}\n",
      "line 1: script: Syntax error: end of file",
    ],
    [
      "a construct that the shell has not",
      "- image: a\n  script: echo ${x@Q}\n",
      "line 2: script: parameter expansion: not supported",
    ],
  ])("is refused with file name, line and reason: %s", async (_what, text, reason) => {
    const file = await fileOf(text);
    await expect(openImageScripts(file)).rejects.toThrow(`${file}: ${reason}`);
  });

  test("that does not exist is named in the error, and no cluster starts", async () => {
    const file = join(folder, "none.yaml");
    await expect(startCluster({ port: false, imageScripts: file })).rejects.toThrow(
      `open ${file}: no such file or directory`,
    );
  });
});

test("an invalid script for an image in the options of a cluster is named by its place", async () => {
  const scripts = [
    { image: "a", script: "true" },
    { image: "b", script: "\nfi" },
  ];
  await expect(openImageScripts(scripts)).rejects.toThrow(
    'imageScripts[1].script: line 2: Syntax error: "fi" unexpected',
  );
  await expect(openImageScripts([{ image: "", script: "" }])).rejects.toThrow("imageScripts[0].image is empty");
});

describe("in a cluster with scripts in place of images", () => {
  const PODS = "/api/v1/namespaces/default/pods";
  let cluster: Cluster;
  let api: Transport;

  beforeAll(async () => {
    const file = await fileOf(`
- image: registry.example.com/tools/*
  script: |
    echo "$# parameters: $*"
    exit 3
- image: registry.example.com/*
  script: echo the second; psql -l; echo never
- image: "*kube-webhook-certgen*"
  script: echo mine
`);
    const nodes = [
      { name: "node", images: { "registry.example.com/tools/own": { entrypoint: ["echo", "the node's"] } } },
    ];
    cluster = await startCluster({ port: false, nodes, imageScripts: file });
    api = cluster.transport();
    const account = "/api/v1/namespaces/default/serviceaccounts/default";
    await eventually(async () => expect((await call(api, "GET", account)).status).toBe(200));
  });
  afterAll(() => cluster?.close());

  test.each([
    [
      "the command and the args are its parameters",
      "tools/job:2",
      { command: ["/bin/run", "a b"], args: ["c"] },
      "3 parameters: /bin/run a b c\n",
      3,
    ],
    ["it has no parameters without them", "tools/idle", {}, "0 parameters: \n", 3],
    [
      "a command that the shell has is its parameter too",
      "tools/sh",
      { command: ["sh", "-c", "echo shell"] },
      "3 parameters: sh -c echo shell\n",
      3,
    ],
    ["a node's images come before it", "tools/own", {}, "the node's\n", 0],
    [
      "a missing program has it stand in",
      "app",
      { command: ["/app"] },
      'the second\nkubets: this container stands in for image "registry.example.com/app" from here on: sh: 1: psql: not found\n',
      0,
    ],
  ])("%s", async (_what, image, container, log, code) => {
    const name = image.replace(/\W+/g, "-");
    const containers = [{ name: "c", image: `registry.example.com/${image}`, ...container }];
    await expect(create({ metadata: { name }, spec: { restartPolicy: "Never", containers } })).resolves.toBe(201);
    await ended(name, log, code);
  });

  test("a script for an image wins over a built-in program, also where stand-ins are switched off", async () => {
    const containers = [{ name: "c", image: "jettech/kube-webhook-certgen:v1", args: ["create"] }];
    const metadata = { name: "strict", annotations: { "kubets.dev/images": "strict" } };
    await expect(create({ metadata, spec: { restartPolicy: "Never", containers } })).resolves.toBe(201);
    await ended("strict", "mine\n", 0);
    const started = "fieldSelector=involvedObject.name%3Dstrict,reason%3DStarted";
    await eventually(async () => {
      const events = await call(api, "GET", `/api/v1/namespaces/default/events?${started}`);
      const said = 'It runs a script in place of image "jettech/kube-webhook-certgen:v1"';
      expect(events.at("items.0.message")).toBe(`Container started. ${said}`);
    });
  });

  const create = async (pod: JsonObject) => (await call(api, "POST", PODS, pod)).status;

  async function ended(name: string, log: string, code: number): Promise<void> {
    await eventually(async () => {
      const pod = await call(api, "GET", `${PODS}/${name}`);
      expect(pod.at("status.containerStatuses.0.state.terminated.exitCode")).toBe(code);
    });
    expect((await call(api, "GET", `${PODS}/${name}/log`)).text).toBe(log);
  }
});
