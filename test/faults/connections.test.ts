import { expect, test } from "vitest";
import { authority } from "../client/transport/certificates.js";
import {
  type Answer,
  configMap,
  cutAfter,
  type FaultyOptions,
  hangUp,
  json,
  reset,
  silence,
  stallAfter,
  startFaultyServer,
} from "./faulty-server.js";
import { describeBesideKubectl, type Outcome, sideBySide } from "./side-by-side.js";

const MANIFESTS = {
  "two.yaml": ["a", "b"].map((name) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`).join("---\n"),
};

const listOf = (names: readonly string[], next = ""): object => ({
  kind: "ConfigMapList",
  apiVersion: "v1",
  metadata: { resourceVersion: "7", ...(next !== "" && { continue: next }) },
  items: names.map((name) => configMap(name)),
});
const whole = JSON.stringify(listOf(["a", "b", "c"]));
const half = whole.slice(0, whole.length / 2);
const event = `${JSON.stringify({ type: "ADDED", object: configMap("a") })}\n`;
const FOUND = json(configMap("a"));

async function same(
  line: string,
  answers: readonly Answer[],
  options?: FaultyOptions,
): Promise<Pick<Outcome, "stdout" | "code">> {
  const { real, ours } = await sideBySide(line, {
    peer: () => startFaultyServer(answers, options),
    files: MANIFESTS,
  });
  expect(ours).toEqual(real);
  return real;
}

async function expectSame(line: string, answers: readonly Answer[], options?: FaultyOptions): Promise<void> {
  await same(line, answers, options);
}

describeBesideKubectl("kubets prints what kubectl prints when a connection ends", () => {
  test.each([
    ["in the middle of a list of known length", cutAfter(half, { "content-length": String(whole.length) })],
    ["in the middle of a list in chunks", cutAfter(half, {})],
    ["before the first byte of a list", cutAfter("", { "content-length": String(whole.length) })],
  ])("%s", async (_when, answer) => {
    const { stdout, code } = await same("kubectl get cm", [answer]);
    expect({ stdout, code }).toEqual({ stdout: "", code: 1 });
    await expectSame("kubectl get cm -o yaml", [answer]);
  });

  test("in the middle of the second page: nothing of the first is printed", async () => {
    const answers = [json(listOf(["a", "b"], "more")), cutAfter(half, { "content-length": String(whole.length) })];
    await expectSame("kubectl get cm -o json --chunk-size=2", answers);
    await expectSame("kubectl delete cm --all --chunk-size=2", answers);
    await expectSame("kubectl label cm --all x=y --chunk-size=2", answers);
  });

  test("in the middle of reading an object that was to be changed", async () => {
    const answers = [cutAfter('{"kind":"Conf', { "content-length": "400" })];
    await expectSame("kubectl label cm a x=y", answers);
    await expectSame("kubectl apply -f two.yaml --validate=false", answers);
  });

  test("after an object was written: the following documents are reported too", async () => {
    await expectSame("kubectl create -f two.yaml --validate=false", [FOUND, hangUp]);
    await expectSame("kubectl delete -f two.yaml --wait=false", [FOUND, cutAfter("{", { "content-length": "400" })]);
  });

  test("before a write was answered, which is not sent again", async () => {
    await expectSame("kubectl create -f two.yaml --validate=false", [hangUp]);
    await expectSame(`kubectl patch cm a --type=merge -p '{"data":{"k":"w"}}'`, [FOUND, reset, FOUND]);
  });

  test("while a watch is open", async () => {
    await expectSame("kubectl get cm a -w -o name", [FOUND, cutAfter(event, {})]);
    await expectSame("kubectl get cm a -w -o name", [FOUND, cutAfter(`${event}{"type":"MOD`, {})]);
    await expectSame("kubectl get --watch-only cm -o name", [cutAfter(`${event}nonsense\n`, {})]);
  });

  test("in the middle of a log", () => expectSame("kubectl logs a", [pod, cutAfter("one\ntwo\nthr", {})]));
});

const pod = json({
  kind: "Pod",
  apiVersion: "v1",
  metadata: { name: "a", namespace: "default" },
  spec: { containers: [{ name: "c", image: "i" }] },
});

describeBesideKubectl("kubets ends as kubectl does when a server does not answer", () => {
  test.each([
    "kubectl get cm a",
    "kubectl get cm",
    "kubectl delete cm a",
    "kubectl create -f two.yaml --validate=false",
    "kubectl apply -f two.yaml --validate=false",
    "kubectl get --raw /api/v1/configmaps",
  ])("within its time limit: %s --request-timeout=1s", (line) => expectSame(`${line} --request-timeout=1s`, [silence]));

  test("with the rest of a list", () =>
    expectSame("kubectl get cm --request-timeout=1s", [stallAfter(half, { "content-length": String(whole.length) })]));

  test("with its API groups", () =>
    expectSame("kubectl get cm --request-timeout=1s", [silence], { alsoDiscovery: true }));
});

const LOCAL = [{ type: "ip", value: "127.0.0.1" }] as const;

describeBesideKubectl("kubets prints what kubectl prints when a connection is impossible because of", () => {
  test.each([
    ["certificates nobody trusts", async () => ({ tls: await (await authority("ca")).issue([...LOCAL]) })],
    [
      "certificates of another authority",
      async () => ({ tls: await (await authority("ca")).issue([...LOCAL]), authority: (await authority("ca")).pem }),
    ],
    [
      "a certificate of another name",
      async () => {
        const ca = await authority("ca");
        return { tls: await ca.issue([{ type: "dns", value: "elsewhere.example" }]), authority: ca.pem };
      },
    ],
    ["plain HTTP where TLS was meant", () => ({ url: (port: number) => `https://127.0.0.1:${port}` })],
    ["nobody there", () => ({ url: () => "https://127.0.0.1:1" })],
  ] satisfies readonly (readonly [string, () => FaultyOptions | Promise<FaultyOptions>])[])(
    "%s",
    async (_what, options) => {
      const made = await options();
      await expectSame("kubectl get cm a", [FOUND], made);
      await expectSame("kubectl apply -f two.yaml", [FOUND], made);
    },
  );

  test("a server that closes it, which is asked once more", () =>
    expectSame("kubectl get cm a", [hangUp, reset, FOUND]));
});
