import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/time/clock.js";
import {
  decodeEgressSelections,
  type EgressConnection,
  egressErrors,
} from "../../../src/cluster/egress/egress-configuration.js";
import { openEgress } from "../../../src/cluster/egress/open-egress.js";
import { formatFieldError } from "../../../src/machinery/errors/field-error.js";
import { readConfigurationDocument } from "../../../src/machinery/text/yaml/configuration-document.js";

const faultsOf = (connection: EgressConnection, name = "cluster"): readonly string[] =>
  egressErrors([{ name, connection }]).map(formatFieldError);

const proxyProtocol = "HTTPConnect";

describe("validation of an egress selection returns kube-apiserver's errors", () => {
  test.each<[string, EgressConnection, readonly string[]]>([
    ["Direct", { proxyProtocol: "Direct" }, []],
    [
      "Direct with a transport",
      { proxyProtocol: "Direct", transport: { uds: { udsName: "/s" } } },
      ['service.connection.transport: Invalid value: "direct": config must be absent for direct connect'],
    ],
    [
      "no transport",
      { proxyProtocol },
      ["service.connection.transport: Required value: transport must be set for HTTPConnect"],
    ],
    [
      "an empty transport",
      { proxyProtocol, transport: {} },
      ["service.connection.tcp: Required value: One of TCP or UDS must be set"],
    ],
    [
      "no path of a socket",
      { proxyProtocol, transport: { uds: {} } },
      ['service.connection.udsName: Invalid value: "nil": must be present for UDS connections'],
    ],
    ["TCP without TLS", { proxyProtocol, transport: { tcp: { url: "http://127.0.0.1:8131" } } }, []],
    [
      "TLS that no URL asks for",
      { proxyProtocol, transport: { tcp: { url: "http://127.0.0.1:8131", tlsConfig: {} } } },
      ['service.connection.tlsConfig: Invalid value: "nil": config must not be present when using HTTP'],
    ],
    [
      "a URL of another scheme",
      { proxyProtocol, transport: { tcp: { url: "ftp://127.0.0.1" } } },
      [
        'service.connection.url: Invalid value: "ftp://127.0.0.1": supported connection protocols are http:// and https://',
      ],
    ],
    [
      "no TLS that the URL asks for",
      { proxyProtocol, transport: { tcp: { url: "https://127.0.0.1:8131" } } },
      ["service.connection.tlsConfig: Required value: TLSConfig must be present when using HTTPS"],
    ],
    [
      "missing files",
      {
        proxyProtocol,
        transport: { tcp: { url: "https://127.0.0.1", tlsConfig: { caBundle: "/no/ca", clientCert: "/no/crt" } } },
      },
      [
        'service.connection.tlsConfig.caBundle: Invalid value: "/no/ca": TLS config ca bundle does not exist',
        'service.connection.tlsConfig.clientCert: Invalid value: "/no/crt": TLS client cert does not exist',
        'service.connection.tlsConfig.clientKey: Invalid value: "nil": Using TLS requires requires clientKey',
      ],
    ],
    [
      "an unknown protocol",
      { proxyProtocol: "SOCKS" },
      ['service.connection.protocol: Unsupported value: "SOCKS": supported values: "Direct", "HTTPConnect", "GRPC"'],
    ],
    [
      "GRPC without a socket",
      { proxyProtocol: "GRPC", transport: { tcp: { url: "http://127.0.0.1" } } },
      ["service.connection.uds: Required value: UDS must be set with GRPC"],
    ],
  ])("%s", (_, connection, faults) => {
    expect(faultsOf(connection)).toEqual(faults);
  });

  test("for unknown and repeated names", () => {
    const connection = { proxyProtocol: "Direct" };
    expect(faultsOf(connection, "world")).toEqual([
      'service.connection: Unsupported value: "world": supported values: "cluster", "controlplane", "etcd"',
    ]);
    const twice = ["etcd", "ETCD"].map((name) => ({ name, connection }));
    expect(egressErrors(twice).map(formatFieldError)).toEqual(['service.connection[1]: Duplicate value: "etcd"']);
  });
});

describe("the file of --egress-selector-config-file", () => {
  let folder: string;
  const head = (version: string) => `apiVersion: apiserver.k8s.io/${version}\nkind: EgressSelectorConfiguration\n`;
  const opened = async (text: string) => {
    const file = join(folder, "egress.yaml");
    await writeFile(file, text);
    return openEgress(file, { clock: systemClock, env: {} });
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "kubets-egress-"));
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  test.each(["v1alpha1", "v1beta1"])("may name the control plane by its old name: %s", (version) => {
    const text = `${head(version)}egressSelections: [{name: master, connection: {proxyProtocol: Direct}}]\n`;
    expect(decodeEgressSelections(readConfigurationDocument(text))).toEqual([
      { name: "controlplane", connection: { proxyProtocol: "Direct" } },
    ]);
  });

  test("is decoded strictly", async () => {
    await expect(opened(`${head("v1beta1")}egressSelection: []\n`)).rejects.toThrow(
      /^failed to read egress selector config: strict decoding error: unknown field "egressSelection" \(in ".*egress\.yaml"\)$/,
    );
    await expect(opened(`${head("v1")}egressSelections: []\n`)).rejects.toThrow(
      'no kind "EgressSelectorConfiguration" is registered for version "apiserver.k8s.io/v1"',
    );
    await expect(openEgress(join(folder, "none"), { clock: systemClock, env: {} })).rejects.toThrow(
      /^failed to read egress selector config: unable to read egress selector configuration from ".*none" \[/,
    );
  });

  test("is refused when it selects GRPC, with an alternative in the error", async () => {
    const text = `${head("v1beta1")}egressSelections:
- name: cluster
  connection: {proxyProtocol: GRPC, transport: {uds: {udsName: /run/konnectivity.sock}}}
`;
    await expect(opened(text)).rejects.toThrow(
      /failed to create dialer for egressSelection "cluster": .* give proxyProtocol HTTPConnect/,
    );
  });

  test("is refused with all its faults in one message", async () => {
    const text = `${head("v1beta1")}egressSelections:
- {name: cluster, connection: {proxyProtocol: HTTPConnect}}
- {name: world, connection: {proxyProtocol: Direct}}
`;
    await expect(opened(text)).rejects.toThrow(
      'failed to validate egress selector configuration: [service.connection.transport: Required value: transport must be set for HTTPConnect, service.connection: Unsupported value: "world": supported values: "cluster", "controlplane", "etcd"]',
    );
  });
});
