import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ExecPlugin } from "../../../src/client/auth/exec-plugin.js";
import type { ExecConfig } from "../../../src/client/config/client-config.js";

const folder = mkdtempSync(join(tmpdir(), "kubets-exec-"));
const API = "client.authentication.k8s.io/v1";

function plugin(config: Partial<ExecConfig>, now = { time: 0 }): ExecPlugin {
  return new ExecPlugin({
    config: {
      apiVersion: API,
      command: process.execPath,
      args: [],
      env: [],
      provideClusterInfo: false,
      interactiveMode: "Never",
      ...config,
    },
    cluster: { server: "https://h" },
    env: process.env,
    clock: { now: () => now.time },
    stdinIsTerminal: false,
  });
}

/** A plugin that runs `code`; `answer(status)` prints a credential. */
function running(code: string, more: Partial<ExecConfig> = {}, now?: { time: number }): ExecPlugin {
  const prelude = `const answer = (status) => console.log(JSON.stringify({kind:"ExecCredential",apiVersion:"${API}",status}));`;
  return plugin({ args: ["-e", prelude + code], ...more }, now);
}

describe("a credential plugin of a kubeconfig", () => {
  test("receives an ExecCredential in KUBERNETES_EXEC_INFO and the variables of its entry", async () => {
    const note = join(folder, "note");
    const code = `require("fs").writeFileSync(process.env.NOTE, process.env.KUBERNETES_EXEC_INFO); answer({token:"t"})`;
    const source = running(code, { env: [{ name: "NOTE", value: note }], provideClusterInfo: true });
    expect(await source.credentials()).toEqual({ token: "t" });
    expect(JSON.parse(readFileSync(note, "utf8"))).toEqual({
      kind: "ExecCredential",
      apiVersion: API,
      spec: { cluster: { server: "https://h" }, interactive: false },
    });
  });

  test("runs again only when the credential expired or the server refused it", async () => {
    const counter = join(folder, "count");
    writeFileSync(counter, "0");
    const code = `const fs=require("fs");const n=+fs.readFileSync(${JSON.stringify(counter)})+1;fs.writeFileSync(${JSON.stringify(counter)},""+n);answer({token:"t"+n,expirationTimestamp:"1970-01-01T00:00:10Z"})`;
    const now = { time: 0 };
    const source = running(code, {}, now);
    const [first, same] = await Promise.all([source.credentials(), source.credentials()]);
    expect([first, same, await source.credentials()]).toEqual([{ token: "t1" }, { token: "t1" }, { token: "t1" }]);
    source.refused(first);
    expect(await source.credentials()).toEqual({ token: "t2" });
    now.time = 20_000;
    expect(await source.credentials()).toEqual({ token: "t3" });
  });

  test.each<[string, ExecPlugin, string]>([
    [
      "is not installed",
      plugin({ command: "no-such-plugin", installHint: "get it" }),
      "exec: executable no-such-plugin not found\n\nIt looks like",
    ],
    [
      "is a path that is not there",
      plugin({ command: "/no/such" }),
      "exec: fork/exec /no/such: no such file or directory",
    ],
    ["fails", running("process.exit(3)"), `exec: executable ${process.execPath} failed with exit code 3`],
    [
      "wants a person where there is none",
      plugin({ interactiveMode: "Always" }),
      "exec plugin cannot support interactive mode: standard input is not a terminal",
    ],
    ["gives nothing", running("answer({})"), "exec plugin didn't return a token or cert/key pair"],
    [
      "gives half a pair",
      running('answer({clientCertificateData:"x"})'),
      "exec plugin returned only certificate or key, not both",
    ],
    ["leaves the status out", running("answer()"), "exec plugin didn't return a status field"],
    [
      "speaks another version",
      running("answer({})", { apiVersion: "client.authentication.k8s.io/v1beta1" }),
      `exec plugin is configured to use API version client.authentication.k8s.io/v1beta1, plugin returned version ${API}`,
    ],
  ])("that %s", async (_, source, message) => {
    await expect(source.credentials()).rejects.toThrow(message);
  });
});
