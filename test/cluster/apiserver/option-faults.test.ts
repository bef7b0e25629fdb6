import { describe, expect, test } from "vitest";
import { apiserverSections } from "../../../src/component/apiserver-flags/sections.js";
import { optionFaults } from "../../../src/cluster/apiserver/option-faults.js";
import type { ComponentFlag } from "../../../src/component/component-flag.js";
import { FlagTable } from "../../../src/component/flags/flag-table.js";
import { parseFlags } from "../../../src/component/flags/parse-flags.js";

const declared: readonly ComponentFlag[] = apiserverSections.flatMap((section) => section.flags);

const NEEDED = [
  "--etcd-servers=http://127.0.0.1:1",
  "--service-account-issuer=https://x",
  "--service-account-key-file=sa.pub",
  "--service-account-signing-key-file=sa.key",
];

const faultsOf = (...argv: string[]): readonly string[] =>
  optionFaults(parseFlags(new FlagTable(declared), argv).flags, "/nonexistent");

const originHelp =
  "each pattern begins with ^ or // and ends with $ or a colon, as in ^https://shop\\.example\\.com(:\\d+)?$";

test("START-4: kubets apiserver with an empty command line asks only for the flags that kube-apiserver requires", () => {
  expect(faultsOf()).toEqual([
    "--etcd-servers must be specified",
    "service-account-issuer is a required flag",
    "service-account-key-file is a required flag",
    "--service-account-signing-key-file and --service-account-issuer are required flags",
  ]);
  expect(faultsOf(...NEEDED)).toEqual([]);
});

describe("START-4, FLG-1, CAC-11: kubets apiserver refuses an invalid value with kube-apiserver's message", () => {
  test.each<[string[], string]>([
    [["--livez-grace-period=-1s"], "--livez-grace-period can not be a negative value"],
    [["--max-requests-inflight=-1"], "--max-requests-inflight can not be negative value"],
    [["--max-mutating-requests-inflight=-1"], "--max-mutating-requests-inflight can not be negative value"],
    [["--request-timeout=-1s"], "--request-timeout can not be negative value"],
    [["--goaway-chance=0.03"], "--goaway-chance can not be less than 0 or greater than 0.02"],
    [["--goaway-chance=-1"], "--goaway-chance can not be less than 0 or greater than 0.02"],
    [["--min-request-timeout=-1"], "--min-request-timeout can not be negative value"],
    [["--watch-cache-sizes=pods"], "invalid value of watch cache size: pods"],
    [["--watch-cache-sizes=pods#many"], "invalid size of watch cache size: pods#many"],
    [["--watch-cache-sizes=pods#0,deployments.apps#-1"], "watch cache size cannot be negative: deployments.apps#-1"],
    [["--storage-initialization-timeout=-1s"], "--storage-initialization-timeout can not be negative value"],
    [["--shutdown-delay-duration=-1s"], "--shutdown-delay-duration can not be negative value"],
    [
      ["--shutdown-watch-termination-grace-period=-1s"],
      "shutdown-watch-termination-grace-period, if provided, can not be a negative value",
    ],
    [
      ["--strict-transport-security-directives=includeSubDomains, "],
      "empty value in strict-transport-security-directives",
    ],
    [
      ["--strict-transport-security-directives=max-age"],
      "--strict-transport-security-directives invalid, allowed values: max-age=expireTime, includeSubDomains, preload. see https://tools.ietf.org/html/rfc6797#section-6.1 for more information",
    ],
    [
      ["--cors-allowed-origins=example.com"],
      `--cors-allowed-origins has an invalid regular expression: regular expression does not pin to start/end of host in the origin header, help: ${originHelp}`,
    ],
    [["--cors-allowed-origins=//a$,"], `empty value in --cors-allowed-origins, help: ${originHelp}`],
    [
      ["--emulation-forward-compatible"],
      "ServerRunOptions.EmulationForwardCompatible cannot be set to true if the emulation version is the same as the binary version",
    ],
    [
      ["--runtime-config-emulation-forward-compatible"],
      "ServerRunOptions.RuntimeConfigEmulationForwardCompatible cannot be set to true if the emulation version is the same as the binary version",
    ],
    [
      ["--storage-backend=etcd2"],
      "--storage-backend invalid, allowed values: etcd3. If not specified, it will default to 'etcd3'",
    ],
    [
      ["--encryption-provider-config-automatic-reload"],
      "--encryption-provider-config-automatic-reload must be set with --encryption-provider-config",
    ],
    [
      ["--storage-media-type=x"],
      '--storage-media-type "x" invalid, allowed values: application/json, application/vnd.kubernetes.protobuf',
    ],
    [
      ["--runtime-config=api/ga=false"],
      "--runtime-config=api/ga=false conflicts with --enable-priority-and-fairness=true",
    ],
    [
      ["--runtime-config=api/all=false", "--enable-priority-and-fairness=false"],
      "invalid runtime-config with only api/all=false",
    ],
    [["--runtime-config=magic.example.com/v1=true,b.org/v1=true"], "unknown api groups b.org/v1,magic.example.com/v1"],
    [
      ["--runtime-config=apps/v1=maybe"],
      'invalid value "apps/v1=maybe" for --runtime-config: use group/version=true|false, or api/all, api/ga, api/beta or api/alpha',
    ],
    [["--secure-port=0"], "--secure-port 0 must be between 1 and 65535, inclusive. It cannot be turned off with 0"],
    [
      ["--oidc-issuer-url=https://i"],
      "oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set",
    ],
    [["--service-account-issuer=https://x"], 'service-account-issuer "https://x" is already specified'],
    [
      ["--service-account-max-token-expiration=1m"],
      "the service-account-max-token-expiration must be between 1 hour and 2^32 seconds",
    ],
    [["--service-account-jwks-uri=http://x"], "service-account-jwks-uri requires https scheme, parsed as: http://x"],
    [["--authorization-mode=Magic"], 'authorization-mode "Magic" is not a valid mode'],
    [
      ["--audit-log-path=-", "--audit-log-mode=x"],
      'invalid audit log mode x, allowed modes are "batch,blocking,blocking-strict"',
    ],
    [
      ["--audit-log-path=-", "--audit-log-mode=batch", "--audit-log-batch-buffer-size=0"],
      "invalid audit batch log buffer size 0, must be a positive number",
    ],
    [
      ["--audit-webhook-config-file=w", "--audit-webhook-batch-max-size=0"],
      "invalid audit batch webhook max batch size 0, must be a positive number",
    ],
    [
      ["--audit-webhook-config-file=w", "--audit-webhook-batch-throttle-qps=0"],
      "invalid audit batch webhook throttle QPS 0, must be a positive number",
    ],
    [
      ["--audit-webhook-config-file=w", "--audit-webhook-truncate-max-event-size=0"],
      "invalid audit truncate webhook max event size 0, must be a positive number",
    ],
    [
      ["--audit-log-path=-", "--audit-log-truncate-max-batch-size=1"],
      "invalid audit truncate log max batch size 1, must be greater than max event size (102400)",
    ],
    [
      ["--audit-log-path=-", "--audit-log-version=audit.k8s.io/v1beta1"],
      'invalid group version, allowed versions are ["audit.k8s.io/v1"]',
    ],
    [["--audit-log-path=-", "--audit-log-format=x"], 'invalid audit log format x, allowed formats are "legacy,json"'],
    [["--audit-log-path=-", "--audit-log-maxage=-1"], "--audit-log-maxage -1 can't be a negative number"],
    [["--enable-admission-plugins=Magic"], 'enable-admission-plugins plugin "Magic" is unknown'],
    [["--disable-admission-plugins=Magic"], 'disable-admission-plugins plugin "Magic" is unknown'],
    [
      ["--enable-admission-plugins=Priority", "--disable-admission-plugins=Priority"],
      "[Priority] in enable-admission-plugins and disable-admission-plugins overlapped",
    ],
    [["--egress-selector-config-file=x"], "egress-selector-config-file x does not exist"],
    [
      ["--service-cluster-ip-range=10.0.0.0/24,fd00::/108,fd01::/108"],
      "--service-cluster-ip-range must not contain more than two entries",
    ],
    [
      ["--kubernetes-service-node-port=70000", "--service-node-port-range=1-65535"],
      "--kubernetes-service-node-port 70000 must be between 0 and 65535, inclusive. If 0, the Kubernetes master service will be of type ClusterIP",
    ],
    [["--kubernetes-service-node-port=80"], "kubernetes service node port range 30000-32767 doesn't contain 80"],
    [["--apiserver-count=0"], "--apiserver-count should be a positive number, but value '0' provided"],
    [["--endpoint-reconciler-type=x"], "endpoint reconciler not implemented: x"],
    [
      ["--kubelet-client-certificate=c"],
      "--kubelet-client-certificate and --kubelet-client-key must be specified together",
    ],
    [["--feature-gates=Magic=true"], "unrecognized feature gate: Magic"],
    [["--feature-gates=WatchList"], "missing bool value for WatchList"],
    [
      ["--feature-gates=WatchList=maybe"],
      'invalid value of WatchList=maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax',
    ],
    [["--feature-gates=NodeSwap=false"], "cannot set feature gate NodeSwap to false, feature is locked to true"],
    [["--feature-gates=wardle:A=true"], "component not registered: wardle"],
  ])("of %j", (argv, fault) => {
    expect(faultsOf(...NEEDED, ...argv)).toContain(fault);
  });

  test("of a signing key without its issuer, and accepts both together", () => {
    expect(faultsOf(...NEEDED.filter((flag) => !flag.includes("signing")))).toEqual([
      "--service-account-signing-key-file, --service-account-issuer, and --api-audiences should be specified together",
    ]);
  });

  test("but not of audit flags while the audit log is off", () => {
    expect(faultsOf(...NEEDED, "--audit-log-mode=x", "--audit-webhook-mode=x")).toEqual([]);
  });

  test("but not of feature gates with the prefix kube:, for all components or none", () => {
    expect(faultsOf(...NEEDED, "--feature-gates=kube:WatchList=false,kube:AllAlpha=true")).toEqual([]);
    expect(faultsOf(...NEEDED, "--feature-gates=kube:WatchList=false", "--feature-gates=AllAlpha=true")).toEqual([
      "set kube feature gates with default empty prefix or kube: prefix consistently, do not mix use",
    ]);
  });
});
