import { expect, test } from "vitest";
import { clusterPeer } from "./cluster-peer.js";
import { describeBesideKubectl, type Outcome, sideBySide } from "./side-by-side.js";

const OBJECT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: v}\n";
const MANIFEST = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: w}\n";

async function same(line: string, env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  const { real, ours } = await sideBySide(`${line}; echo $?; kubectl get cm a -o jsonpath={.data.k}`, {
    peer: () => clusterPeer(OBJECT),
    files: {
      "a.yaml": MANIFEST,
      change: "#!/bin/sh\nsed -i 's/k: v$/k: w/' $1\n",
      "change-and-fail": "#!/bin/sh\nsed -i 's/k: v$/k: w/' $1\nexit 3\n",
      "change-and-die": "#!/bin/sh\nsed -i 's/k: v$/k: w/' $1\nkill -9 $$\n",
      remove: "#!/bin/sh\nrm $1\n",
      "delete-the-object": "#!/bin/sh\nsed -i 's/k: v$/k: w/' $1\nkubectl delete cm a --wait=false >/dev/null\n",
      "change-the-object":
        '#!/bin/sh\nsed -i "s/k: v$/k: w/" $1\nkubectl patch cm a -p \'{"data":{"other":"x"}}\' >/dev/null\n',
      "make-it-wrong": "#!/bin/sh\nsed -i 's/k: v$/k: [/' $1\n",
    },
    env: { EDITOR: "<FOLDER>/change", ...env },
  });
  expect(ours).toEqual(real);
  return real;
}

async function expectSame(line: string, env?: Readonly<Record<string, string>>): Promise<void> {
  await same(line, env);
}

describeBesideKubectl("kubets does what kubectl does with an editor that", () => {
  test.each([
    ["works, after which no file is left", { EDITOR: "<FOLDER>/change" }],
    ["fails", { EDITOR: "false" }],
    ["fails after it changed something", { EDITOR: "<FOLDER>/change-and-fail" }],
    ["is killed", { EDITOR: "<FOLDER>/change-and-die" }],
    ["is not there", { EDITOR: "no-such-editor" }],
    ["is not at its path", { EDITOR: "<FOLDER>/no-such-editor" }],
    ["is no program", { EDITOR: "<FOLDER>/a.yaml" }],
    ["removes the file", { EDITOR: "<FOLDER>/remove" }],
    ["changes nothing", { EDITOR: "true" }],
    ["leaves what nobody can read", { EDITOR: "<FOLDER>/make-it-wrong" }],
    ["sees the object deleted meanwhile", { EDITOR: "<FOLDER>/delete-the-object" }],
    ["sees the object changed meanwhile", { EDITOR: "<FOLDER>/change-the-object" }],
    ["has quotes that do not end", { EDITOR: `sh -c "` }],
  ])("%s", (_what, env) => expectSame("kubectl edit cm a", env));
});

describeBesideKubectl("kubets leaves no temporary file behind, as kubectl,", () => {
  test("when it cannot be written completely", async () => {
    const { temporary, stdout } = await same("(ulimit -f 0; kubectl edit cm a)");
    expect({ temporary, stdout }).toEqual({ temporary: [], stdout: "1\nv" });
    await expectSame("(ulimit -f 0; kubectl create -f a.yaml --edit)");
    await expectSame("(ulimit -f 0; kubectl apply edit-last-applied cm a)");
  });

  test("when that of diff cannot be written completely", async () => {
    const { temporary } = await same("(ulimit -f 0; kubectl diff -f a.yaml)");
    expect(temporary).toEqual([]);
  });

  test("when that of replace --force cannot be written completely", async () => {
    const { temporary } = await same("(ulimit -f 0; cat a.yaml | kubectl replace --force -f -)");
    expect(temporary).toEqual([]);
  });

  test.each(["kubectl edit cm a", "kubectl diff -f a.yaml", "kubectl replace --force -f - <a.yaml"])(
    "in a temporary folder that does not exist: %s",
    async (line) => {
      await expectSame(line, { TMPDIR: "<FOLDER>/none" });
      await expectSame(line, { TMPDIR: "<FOLDER>/a.yaml" });
    },
  );

  test("when the diff program fails", async () => {
    const { temporary } = await same("kubectl diff -f a.yaml", { KUBECTL_EXTERNAL_DIFF: "false" });
    expect(temporary).toEqual([]);
    await expectSame("kubectl diff -f a.yaml", { KUBECTL_EXTERNAL_DIFF: "no-such-program" });
  });
});

describeBesideKubectl("kubets leaves a kubeconfig, as kubectl,", () => {
  test("unchanged when it cannot be written completely", () =>
    expectSame("(ulimit -f 0; kubectl config set-context x --namespace=y); kubectl config get-contexts -o name"));
  test("unchanged when its lock exists", () =>
    expectSame("touch $KUBECONFIG.lock; kubectl config set-context x --namespace=y"));
});
