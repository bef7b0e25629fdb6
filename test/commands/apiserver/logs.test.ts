import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call } from "../../helpers/api-caller.js";
import {
  type ApiserverFolder,
  makeApiserverFolder,
  neededFlags,
  type RunningApiserver,
  startApiserver,
} from "../../helpers/apiserver-folder.js";
import { eventually } from "../../helpers/eventually.js";
import { runCli } from "../../helpers/run-cli.js";

const CREDENTIALS = {
  token: "static-token-0123456789",
  password: "hunter2-of-the-secret",
  rotated: "rotated-password-42",
  parameter: "parameter-of-a-url-7",
};
const SECRETS = "/api/v1/namespaces/default/secrets";

let folder: ApiserverFolder;
let [text, json] = [] as unknown as [RunningApiserver, RunningApiserver];
beforeAll(async () => {
  folder = await makeApiserverFolder();
  await writeFile(join(folder.path, "tokens.csv"), `${CREDENTIALS.token},reader,1,system:masters\n`);
  [text, json] = await Promise.all([
    startApiserver(folder, [...neededFlags(folder), "-v=9", "--token-auth-file=tokens.csv"]),
    startApiserver(folder, [
      ...neededFlags(folder),
      "-v=3",
      "--logging-format=json",
      "--feature-gates=LoggingAlphaOptions=true",
      "--log-json-split-stream",
    ]),
  ]);
});
afterAll(async () => {
  await Promise.all([text.stop(), json.stop()]);
  await folder.dispose();
});

/** Waits for a line of the log that has the text. */
const lineWith = (log: () => string, part: string): Promise<string> =>
  eventually(async () => {
    const line = log()
      .split("\n")
      .find((one) => one.includes(part));
    if (line === undefined) throw new Error(`no line has ${part}`);
    return line;
  });

describe("the request log of kubets apiserver", () => {
  const headers = { "user-agent": "tester/1", "audit-id": "a-1", "content-type": "application/json" };

  test("C-RUN-01: has klog's format and kube-apiserver's values", async () => {
    await call(text.admin, "GET", "/api/v1/pods?limit=5", undefined, { headers });
    expect(await lineWith(text.cli.stderr, 'audit-ID="a-1"')).toMatch(
      new RegExp(
        [
          String.raw`^I\d{4} [\d:.]{15} +\d+ httplog\.go:134\] "HTTP" verb="LIST" URI="/api/v1/pods\?limit=5" latency="[\d.]+(ms|µs|s)"`,
          'userAgent="tester/1" contentType="[^"]*" audit-ID="a-1"',
          String.raw`srcIP="127\.0\.0\.1:\d+" apf_pl="exempt" apf_fs="exempt" apf_iseats=1 apf_fseats=0`,
          String.raw`apf_additionalLatency="0s" apf_execution_time="[\d.]+(ms|µs|s)" resp=200$`,
        ].join(" "),
      ),
    );
  });

  test("C-RUN-01: has the same values in JSON; with a split log, lines that are not errors go to stdout", async () => {
    await call(json.admin, "GET", "/api/v1/namespaces/default/pods/missing", undefined, {
      headers: { "audit-id": "a-2" },
    });
    const line = JSON.parse(await lineWith(json.cli.stdout, '"a-2"')) as Record<string, unknown>;
    expect(Object.keys(line).slice(0, 6)).toEqual(["ts", "caller", "msg", "v", "verb", "URI"]);
    expect(line).toMatchObject({ caller: "httplog/httplog.go:134", msg: "HTTP", v: 3, verb: "GET", resp: 404 });
    expect(json.cli.stderr()).toBe("");
    for (const one of json.cli.stdout().trimEnd().split("\n")) expect(() => JSON.parse(one), one).not.toThrow();
  });

  test("A-RUN-07: changes its verbosity by PUT /debug/flags/v", async () => {
    const put = (level: string) => call(json.admin, "PUT", "/debug/flags/v", level, { type: "text/plain" });
    expect((await put("2")).status).toBe(200);
    await call(json.admin, "GET", "/version", undefined, { headers: { "audit-id": "not-logged" } });
    await put("3");
    await call(json.admin, "GET", "/version", undefined, { headers: { "audit-id": "logged-again" } });
    await lineWith(json.cli.stdout, "logged-again");
    expect(json.cli.stdout()).not.toContain("not-logged");
  });
});

test("has no tokens, passwords or data of Secrets at -v=9", async () => {
  const authorization = `Bearer ${CREDENTIALS.token}`;
  const secret = (value: string) => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "s" },
    stringData: { password: value },
  });
  const as = (headers: Record<string, string> = {}) => ({ headers: { authorization, ...headers } });
  await call(text.anonymous, "POST", SECRETS, secret(CREDENTIALS.password), as());
  await call(text.anonymous, "GET", `${SECRETS}/s`, undefined, as());
  await call(text.anonymous, "PUT", `${SECRETS}/s`, secret(CREDENTIALS.rotated), as());
  await call(text.anonymous, "POST", SECRETS, { ...secret(CREDENTIALS.password), type: 7 }, as());
  await call(text.anonymous, "GET", SECRETS, undefined, {
    headers: { authorization: `Bearer ${CREDENTIALS.token}wrong` },
  });
  const account = "/api/v1/namespaces/default/serviceaccounts";
  await call(text.anonymous, "POST", account, { metadata: { name: "robot" } }, as());
  const issued = await call(text.anonymous, "POST", `${account}/robot/token`, { spec: {} }, as());
  const { token } = (JSON.parse(issued.text) as { status: { token: string } }).status;
  await call(text.anonymous, "GET", "/api", undefined, { headers: { authorization: `Bearer ${token}` } });
  await call(text.anonymous, "POST", "/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token } }, as());
  const proxied = "/api/v1/namespaces/default/services/x/proxy/login";
  await call(text.anonymous, "GET", `${proxied}?access_token=${CREDENTIALS.parameter}`, undefined, as());
  await call(text.anonymous, "GET", "/version", undefined, as({ "audit-id": "the-last" }));
  await lineWith(text.cli.stderr, "the-last");
  const log = text.cli.stderr() + text.cli.stdout();
  expect(log).toContain("access_token=<masked>");
  const base64 = Object.values(CREDENTIALS).map((value) => Buffer.from(value).toString("base64"));
  for (const value of [...Object.values(CREDENTIALS), ...base64, token, token.split(".")[2] ?? ""]) {
    expect(log).not.toContain(value);
  }
});

test.each([
  [["--logging-format=xml"], 'format: Invalid value: \\"xml\\": Unsupported log format'],
  [["--logging-format=json", "--vmodule=a=1"], "vmodule: Forbidden: Only supported for text log format"],
  [
    ["--logging-format=json", "--feature-gates=LoggingBetaOptions=false"],
    "format: Forbidden: Log format json is disabled, see LoggingBetaOptions feature",
  ],
  [
    ["--log-text-split-stream", "--log-json-info-buffer-size=1Ki", "--log-flush-frequency=0"],
    '[flushFrequency: Invalid value: \\"0s\\": Must be greater than zero, options.text.splitStream: Forbidden: Feature LoggingAlphaOptions is disabled, options.json.infoBufferSize: Forbidden: Feature LoggingAlphaOptions is disabled]',
  ],
])("kubets apiserver %j fails with component-base's message", async (flags, fault) => {
  for (const program of ["apiserver", "controller-manager", "scheduler"]) {
    const { code, stderr } = await runCli([program, ...flags]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^E.*\] "command failed" err=".*"\n$/)]);
    expect(stderr).toContain(`err="${fault}"`);
  }
});
