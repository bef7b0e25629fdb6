import { afterAll, beforeAll, expect, test } from "vitest";
import { EditGivenUpError, type EditEvent, editObjects, type EditObjectsOptions } from "../../src/actions/index.js";
import { isNotFound, type KubeObject } from "../../src/client/index.js";
import { type ActionCluster, actionCluster, all } from "./action-cluster.js";

let running: ActionCluster;
beforeAll(async () => {
  running = await actionCluster();
});
afterAll(() => running[Symbol.asyncDispose]());

const configMap = (name: string, value = "1"): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  data: { a: value },
});
const reference = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", namespace: "default", name });
const live = (name: string): Promise<KubeObject> =>
  running.client.resource({ group: "", version: "v1", resource: "configmaps" }).namespace("default").get(name);

const edit = (names: readonly string[], editor: EditObjectsOptions["editor"]): AsyncGenerator<EditEvent> =>
  editObjects({ client: running.client, objects: names.map(reference), editor });

/** "edited settings" */
const shown = (event: EditEvent): string => {
  if (event.type === "refused") return `refused ${event.reason.type}`;
  if (event.type === "failed") return `failed ${event.failure}`;
  if ("object" in event) return `${event.type} ${event.object.metadata?.name}`;
  return "why" in event ? `${event.type} ${event.why}` : event.type;
};

test("edit patches what the user changed in the editor, and ignores comment lines", async () => {
  await running.create(configMap("settings"));
  const events = await all(
    edit(["settings"], async ({ document }) => `# a comment\n${document.replace('a: "1"', 'a: "2"')}`),
  );
  expect(events.map(shown)).toEqual(["patching settings", "edited settings", "saved"]);
  expect(events[0]).toMatchObject({ patch: '{"data":{"a":"2"}}' });
  expect((await live("settings"))["data"]).toEqual({ a: "2" });
});

test("edit shows several objects as one List, and sends no patch for unchanged ones", async () => {
  await running.create(configMap("one"), configMap("two"));
  const events = await all(
    edit(["one", "two"], async ({ document }) => {
      expect(document).toContain("kind: List");
      expect(document).not.toContain("managedFields");
      return document.replace('a: "1"', 'a: "9"');
    }),
  );
  expect(events.map(shown)).toEqual(["patching one", "edited one", "skipped two", "saved"]);
});

test("edit is cancelled by an unchanged or an empty text", async () => {
  await running.create(configMap("left"));
  expect((await all(edit(["left"], async ({ document }) => `${document}# only a comment`))).map(shown)).toEqual([
    "cancelled unchanged",
  ]);
  expect((await all(edit(["left"], async () => "# nothing\n"))).map(shown)).toEqual(["cancelled empty"]);
});

test("edit opens the editor again, with the reason on top, when the text cannot be parsed or the server rejects it", async () => {
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "default" },
    spec: { ports: [{ port: 80 }] },
  };
  await running.create(service);
  const rounds: string[] = [];
  const events = await all(
    editObjects({
      client: running.client,
      objects: [{ apiVersion: "v1", kind: "Service", namespace: "default", name: "web" }],
      editor: async ({ document, reasons: [reason] }) => {
        rounds.push(reason?.type ?? "first");
        if (reason === undefined) return `${document}  broken: [`;
        if (reason.type === "syntax") return document.replace("  broken: [", "").replace("port: 80", "port: 800000");
        if (reason.type !== "invalid") throw new Error(`an unexpected reason: ${reason.type}`);
        expect(reason.error.status.details?.causes?.[0]?.field).toBe("spec.ports[0].port");
        return document.replace("port: 800000", "port: 81");
      },
    }),
  );
  expect(rounds).toEqual(["first", "syntax", "invalid"]);
  expect(events.map(shown)).toEqual([
    "refused syntax",
    "patching web",
    "failed invalid",
    "patching web",
    "edited web",
    "saved",
  ]);
});

test("edit ends when the user does not correct a rejected text, and its error has the text", async () => {
  await running.create(configMap("stubborn"));
  const failure = await all(edit(["stubborn"], async () => "data: [")).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(EditGivenUpError);
  expect((failure as EditGivenUpError).text).toBe("data: [");
});

test("edit ends without saving when the object is deleted meanwhile, and its last event has the text that the user edited", async () => {
  const { client } = running;
  await running.create(configMap("gone"));
  const events = await all(
    edit(["gone"], async ({ document }) => {
      await (await client.resourceFor(configMap("gone"))).delete("gone");
      return document.replace('a: "1"', 'a: "2"');
    }),
  );
  expect(events.map(shown)).toEqual(["patching gone", "failed notFound", "unsaved notFound"]);
  expect(events.at(-1)).toMatchObject({ text: expect.stringContaining('a: "2"') as string });
});

test("edit opens the editor again, before any request, when the caller's validation rejects the text", async () => {
  const { client } = running;
  await running.create(configMap("checked"));
  const events = await all(
    editObjects({
      client,
      objects: [reference("checked")],
      editor: async ({ document, reasons }) =>
        document.replace(/a: ".*"/, `a: "${reasons.length === 0 ? "bad" : "good"}"`),
      validate: async (json) => {
        if (json.includes('"bad"')) throw new Error("a must be good");
      },
    }),
  );
  expect(events.map(shown)).toEqual(["refused schema", "patching checked", "edited checked", "saved"]);
});

test("edit refuses a changed name, and throws the server's 404 for a missing object and the editor's own error", async () => {
  await running.create(configMap("named"));
  const renamed = all(edit(["named"], async ({ document }) => document.replace("name: named", "name: other")));
  await expect(renamed).rejects.toThrow("At least one of apiVersion, kind and name was changed");
  await expect(all(edit(["missing"], async ({ document }) => document))).rejects.toSatisfy(isNotFound);
  const broken = edit(["named"], () => Promise.reject(new Error("the editor crashed")));
  await expect(all(broken)).rejects.toThrow("the editor crashed");
});
