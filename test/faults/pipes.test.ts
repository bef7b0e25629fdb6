import { once } from "node:events";
import type { Readable } from "node:stream";
import { expect, test } from "vitest";
import { type Answer, configMap, json, startFaultyServer, status } from "./faulty-server.js";
import { describeBesideKubectl, type Scene, sideBySide } from "./side-by-side.js";

const THREE = ["a", "b", "c"]
  .map((name) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`)
  .join("---\n");

const MANY = json({
  kind: "ConfigMapList",
  apiVersion: "v1",
  metadata: { resourceVersion: "1" },
  items: Array.from({ length: 4000 }, (_, index) =>
    configMap(`a-name-that-is-longer-than-most-${index}`, { text: "x".repeat(100) }),
  ),
});
const ONE = json(configMap("a"));
const CREATED = json(configMap("created"));

/** Events for as long as somebody reads them. */
const endless: Answer = (_request, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  const send = (): boolean =>
    response.write(`${JSON.stringify({ type: "ADDED", object: configMap("a", { text: "x".repeat(1000) }) })}\n`);
  const timer = setInterval(send, 5);
  response.on("close", () => clearInterval(timer));
};

const NONE = json({ kind: "ConfigMapList", apiVersion: "v1", metadata: { resourceVersion: "1" }, items: [] });

async function same(line: string, answers: readonly Answer[], scene: Partial<Scene> = {}): Promise<string> {
  const { real, ours } = await sideBySide(line, {
    peer: () => startFaultyServer(answers),
    files: { "three.yaml": THREE, "kustomization.yaml": "resources: [three.yaml]\n" },
    ...scene,
  });
  expect(ours).toEqual(real);
  return real.stdout;
}

async function expectSame(line: string, answers: readonly Answer[], scene?: Partial<Scene>): Promise<void> {
  await same(line, answers, scene);
}

/** Closes a pipe of the program. The server answers when it is closed: a program that writes before meets no fault. */
async function leave(pipe: Readable | null): Promise<void> {
  if (pipe === null || pipe.closed) return;
  const closed = once(pipe, "close");
  pipe.destroy();
  await closed;
}

describeBesideKubectl("when the reader of its output leaves, kubets ends as kubectl does by SIGPIPE", () => {
  test.each([
    ["a table", "kubectl get cm | head -1", [MANY]],
    ["names", "kubectl get cm -o name | head -2", [MANY]],
    ["YAML", "kubectl get cm -o yaml | head -3", [MANY]],
    ["JSON", "kubectl get cm -o json | head -1", [MANY]],
    ["a template", `kubectl get cm -o jsonpath='{range .items[*]}{.metadata.name}{"\\n"}{end}' | head -1`, [MANY]],
    ["raw bytes", "kubectl get --raw /api/v1/configmaps | head -c 5", [MANY]],
    ["a watch", "kubectl get cm -w --watch-only -o name | head -1", [NONE, endless]],
  ])("%s", async (_what, line, answers) => {
    const stdout = await same(`${line}; echo " \${PIPESTATUS[*]}"`, answers);
    expect(stdout).toMatch(/ 141 0\n$/);
  });

  test("without doing the rest of its work", async () => {
    await expectSame("kubectl create -f three.yaml --validate=false; echo $? >&2", [CREATED], {
      meanwhile: ({ child }) => leave(child.stdout),
    });
  });

  test("also when only the reader of stderr leaves", async () => {
    await expectSame("kubectl get cm a; echo $?", [status(404, "NotFound")], {
      meanwhile: ({ child }) => leave(child.stderr),
    });
  });
});

describeBesideKubectl("kubets fails as kubectl does when output cannot be written", () => {
  test.each([
    ["to a full disk", "kubectl get cm a >/dev/full; echo $?", ONE],
    ["to a full disk, much of it", "kubectl get cm -o yaml >/dev/full; echo $?", MANY],
    ["to a full disk, as JSON", "kubectl get cm a -o json >/dev/full; echo $?", ONE],
    ["to a full disk, raw", "kubectl get --raw /api/v1/configmaps >/dev/full; echo $?", ONE],
    ["of an object that was made", "kubectl create cm a >/dev/full; echo $?", ONE],
    ["of a kustomization", "kubectl kustomize . >/dev/full; echo $?", ONE],
    ["of a kubeconfig", "kubectl config view >/dev/full; echo $?", ONE],
    ["of a completion script", "kubectl completion zsh >/dev/full; echo $?", ONE],
    ["to a stdout that is closed", "kubectl get cm a >&-; echo $?", ONE],
    ["to a stderr that is closed", "kubectl get cm a 2>&-; echo $?", status(404, "NotFound")],
    ["to a stderr that is full", "kubectl get cm a 2>/dev/full; echo $?", status(404, "NotFound")],
    ["beyond the size a file may have, as YAML", "ulimit -f 1; kubectl get cm -o yaml >big; echo $?; wc -c <big", MANY],
    ["beyond the size a file may have", "ulimit -f 1; kubectl get cm >big; echo $?; wc -c <big", MANY],
  ])("%s", (_what, line, answer) => expectSame(line, [answer]));
});

describeBesideKubectl("kubets reads as kubectl does a stdin that", () => {
  test.each([
    ["is closed", "kubectl apply -f - <&-; echo $?"],
    ["holds nothing", "kubectl apply -f - </dev/null; echo $?"],
  ])("%s", (_what, line) => expectSame(line, [ONE]));
});
