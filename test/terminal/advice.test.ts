import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeTerminal, type TerminalLab, terminalLab } from "./terminal.js";

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replcas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, imge: nginx}
`;

describeTerminal("an error on a terminal gets a hint", () => {
  let lab: TerminalLab;
  const requests: string[] = [];

  beforeAll(async () => {
    lab = await terminalLab({ onRequest: ({ method, path }) => void requests.push(`${method} ${path}`) });
    lab.write({ "web.yaml": DEPLOYMENT });
    await lab.kubectl(["create", "configmap", "settings"]);
    await lab.kubectl(["create", "configmap", "web-5d4c"]);
  });
  afterAll(async () => {
    await lab?.[Symbol.asyncDispose]();
  });

  test.each([
    ["a type", "get deploymets", ['"deployments"']],
    ["a name", "get cm setings", ['"settings"']],
    ["two names", "get cm setings web", ['"settings", "web-5d4c"']],
    ["the name of a namespace", "delete ns defalt", ['"default"']],
    ["a flag", "get cm --show-lables", ['"--show-labels"']],
    ["a context", "config use-context kubetz", ['"kubets"']],
    ["the context in force", "get cm --context=kubetz", ['"kubets"']],
    ["fields", "apply -f web.yaml", ['"replicas", "image"']],
  ])("with a mistyped %s", async (_name, line, meant) => {
    const terminal = await lab.open({ columns: 200 });
    const { screen, code } = await terminal.run(`kubectl ${line}`);
    expect(screen.match(/(?<=Did you mean ).*(?=\?)/g) ?? []).toEqual(meant);
    expect(code).toBe(1);
  });

  test("not with stderr in a pipe, and then the server is not asked for one", async () => {
    const terminal = await lab.open();
    await terminal.run("kubectl get cm setings 2>err");
    requests.length = 0;
    await terminal.run("kubectl get cm setings 2>err");
    expect(readFileSync(join(lab.folder, "err"), "utf8")).toBe(
      'Error from server (NotFound): configmaps "setings" not found\n',
    );
    expect(requests).toEqual(["GET /api/v1/namespaces/default/configmaps/setings"]);
    requests.length = 0;
    await terminal.run("kubectl get cm setings | cat");
    expect(requests).toEqual([
      "GET /api/v1/namespaces/default/configmaps/setings",
      "GET /api/v1/namespaces/default/configmaps?limit=500",
    ]);
  });

  test("not when no similar name exists", async () => {
    const terminal = await lab.open();
    const { screen } = await terminal.run(
      "kubectl get cm entirely-different; kubectl get zebras; kubectl get cm --zzzz",
    );
    expect(screen).not.toContain("Did you mean");
  });
});
