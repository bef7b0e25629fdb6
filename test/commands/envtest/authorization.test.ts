import { describe, expect, test } from "vitest";
import { FlagTable } from "../../../src/component/flags/flag-table.js";
import { parseFlags } from "../../../src/component/flags/parse-flags.js";
import { kubeAuthorization } from "../../../src/cluster/apiserver/serve-api.js";
import { authorizationOptions, authorizationSection } from "../../../src/component/apiserver-flags/authorization.js";
import { readOptions } from "../../../src/component/option-group.js";
import { runCli } from "../../helpers/run-cli.js";

function optionsOf(...argv: string[]) {
  const { flags } = parseFlags(new FlagTable(authorizationSection.flags), argv);
  return kubeAuthorization(readOptions(authorizationOptions, flags, "/cwd"));
}

describe("the authorization flags of envtest's kube-apiserver", () => {
  const webhook = { kubeconfig: "/cwd/k" };
  test.each([
    ["none: every user may do everything", [], { modes: ["AlwaysAllow"] }],
    ["what envtest passes", ["--authorization-mode=RBAC"], { modes: ["RBAC"] }],
    ["several modes", ["--authorization-mode=Node,RBAC"], { modes: ["Node", "RBAC"] }],
    [
      "the modes of repeated flags",
      ["--authorization-mode=Node", "--authorization-mode=RBAC"],
      { modes: ["Node", "RBAC"] },
    ],
    [
      "a policy file",
      ["--authorization-mode=ABAC", "--authorization-policy-file=p"],
      { modes: ["ABAC"], policyFile: "/cwd/p" },
    ],
    [
      "a webhook",
      ["--authorization-mode=Webhook", "--authorization-webhook-config-file=k"],
      { modes: ["Webhook"], webhook },
    ],
    [
      "a webhook's version and times",
      [
        "--authorization-mode=Webhook",
        "--authorization-webhook-config-file=k",
        "--authorization-webhook-version=v1",
        "--authorization-webhook-cache-authorized-ttl=1m",
        "--authorization-webhook-cache-unauthorized-ttl=0",
      ],
      { modes: ["Webhook"], webhook: { ...webhook, version: "v1", authorizedTtl: 60_000, unauthorizedTtl: 0 } },
    ],
    ["a configuration file", ["--authorization-config=c"], { configFile: "/cwd/c" }],
    [
      "a configuration file with policies",
      ["--authorization-config=c", "--authorization-policy-file=p"],
      { configFile: "/cwd/c", policyFile: "/cwd/p" },
    ],
  ])("are read as authorization modes: %s", (_, argv, options) => {
    expect(optionsOf(...argv)).toEqual(options);
  });

  test.each([
    ["an unknown mode", ["--authorization-mode=Magic"], 'authorization-mode "Magic" is not a valid mode'],
    [
      "a mode twice",
      ["--authorization-mode=RBAC,RBAC"],
      'authorization-mode ["RBAC" "RBAC"] has mode specified more than once',
    ],
    [
      "ABAC without a file",
      ["--authorization-mode=ABAC"],
      "authorization-mode ABAC's authorization policy file not passed",
    ],
    [
      "a policy file without ABAC",
      ["--authorization-policy-file=p"],
      "cannot specify --authorization-policy-file without mode ABAC",
    ],
    [
      "Webhook without a file",
      ["--authorization-mode=Webhook"],
      "authorization-mode Webhook's authorization config file not passed",
    ],
    [
      "a webhook's file without Webhook",
      ["--authorization-webhook-config-file=k"],
      "cannot specify --authorization-webhook-config-file without mode Webhook",
    ],
    [
      "a configuration beside modes",
      ["--authorization-config=c", "--authorization-mode=RBAC"],
      "--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined",
    ],
    [
      "a configuration beside a webhook's flag",
      ["--authorization-config=c", "--authorization-webhook-version=v1"],
      "--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined",
    ],
  ])("are refused in kube-apiserver's words: %s", async (_, argv, message) => {
    const { code, stderr } = await runCli(["envtest", "kube-apiserver", ...argv]);
    expect(code).toBe(1);
    expect(stderr).toContain("command failed");
    // The log quotes the message.
    expect(stderr.replaceAll(String.raw`\"`, '"')).toContain(message);
  });
});
