import { describe, expect, test } from "vitest";
import {
  decodeEncryptionConfiguration,
  encryptionErrors,
} from "../../../src/cluster/encryption/encryption-configuration.js";
import { formatFieldError } from "../../../src/machinery/errors/field-error.js";
import { readConfigurationDocument } from "../../../src/machinery/text/yaml/configuration-document.js";
import type { EncryptionProvider } from "../../../src/server/storage/encryption/configuration.js";

const KEY = Buffer.alloc(32, 7).toString("base64");
const keys = [{ name: "key1", secret: KEY }];
const good: readonly EncryptionProvider[] = [{ aescbc: { keys } }, { identity: {} }];
const KMS = { apiVersion: "v2", name: "plugin", endpoint: "unix:///run/kms.sock" };

const faults = (resources: readonly unknown[], reloads = false): readonly string[] =>
  encryptionErrors({ resources: resources as never }, reloads).map(formatFieldError);
const ofProvider = (provider: unknown): readonly string[] =>
  faults([{ resources: ["secrets"], providers: [provider] }]);
const ofResources = (...resources: readonly string[]): readonly string[] => faults([{ resources, providers: good }]);

describe("UND-6: validation of an EncryptionConfiguration returns kube-apiserver's errors", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ["nothing", faults([]), ["resources: Required value: at least one resources is required"]],
    [
      "an empty entry",
      faults([{}]),
      [
        "resources[0].resources: Required value: at least one resources[0].resources is required",
        "resources[0].providers: Required value: at least one resources[0].providers is required",
      ],
    ],
    ["one that is right", ofResources("secrets", "configmaps", "pandas.awesome.bears.example"), []],
    ["all of a group", ofResources("*.apps", "*."), []],
    [
      "a capital letter",
      ofResources("Secrets"),
      ['resources[0].resources[0]: Invalid value: "Secrets": resource name should not contain capital letters'],
    ],
    [
      "a star",
      ofResources("*"),
      [
        `resources[0].resources[0]: Invalid value: "*": use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources`,
      ],
    ],
    [
      "addresses",
      ofResources("serviceipallocations"),
      [
        'resources[0].resources[0]: Invalid value: "serviceipallocations": resources which do not have REST API/s cannot be encrypted',
      ],
    ],
    [
      "events by their second group",
      ofResources("events.events.k8s.io"),
      [
        `resources[0].resources[0]: Invalid value: "events.events.k8s.io": '*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file`,
      ],
    ],
    [
      "a group that is gone",
      ofResources("ingresses.extensions"),
      [
        `resources[0].resources[0]: Invalid value: "ingresses.extensions": 'extensions' group has been removed and cannot be used for encryption`,
      ],
    ],
    [
      "a resource of all groups",
      ofResources("secrets.*"),
      [
        'resources[0].resources[0]: Invalid value: "secrets.*": encrypting the same resource across groups is not supported',
      ],
    ],
    [
      "a resource twice",
      ofResources("secrets", "secrets"),
      [
        'resources[0].resources: Invalid value: ["secrets","secrets"]: the same resource cannot be specified multiple times',
      ],
    ],
    [
      "a resource beside its group",
      ofResources("secrets", "*."),
      [
        `resources[0].resources: Invalid value: ["secrets","*."]: using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked`,
      ],
    ],
    [
      "no provider",
      ofProvider({}),
      [
        'resources[0].providers[0]: Invalid value: {"AESGCM":null,"AESCBC":null,"Secretbox":null,"Identity":null,"KMS":null}: provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity',
      ],
    ],
    [
      "no keys",
      ofProvider({ aesgcm: { keys: [] } }),
      ["resources[0].providers[0].aesgcm.keys: Required value: at least one keys is required"],
    ],
    [
      "a key without a name",
      ofProvider({ aescbc: { keys: [{ name: "", secret: KEY }] } }),
      ["resources[0].providers[0].aescbc.keys[0].name: Required value: name is a mandatory field for a key"],
    ],
    [
      "a key without a secret",
      ofProvider({ aescbc: { keys: [{ name: "key1" }] } }),
      ["resources[0].providers[0].aescbc.keys[0].secret: Required value: secret is a mandatory field for a key"],
    ],
    [
      "a secret that is no base64",
      ofProvider({ aescbc: { keys: [{ name: "key1", secret: "!" }] } }),
      ['resources[0].providers[0].aescbc.keys[0].secret: Invalid value: "REDACTED": secrets must be base64 encoded'],
    ],
    [
      "a secret of another length",
      ofProvider({ aesgcm: { keys: [{ name: "key1", secret: "c2hvcnQ=" }] } }),
      [
        'resources[0].providers[0].aesgcm.keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 5, expected one of [16 24 32]',
      ],
    ],
    [
      "a secretbox's secret of 16 bytes",
      ofProvider({ secretbox: { keys: [{ name: "key1", secret: Buffer.alloc(16).toString("base64") }] } }),
      [
        'resources[0].providers[0].secretbox.keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 16, expected one of [32]',
      ],
    ],
    ["a plugin", ofProvider({ kms: KMS }), []],
    [
      "a plugin without anything",
      ofProvider({ kms: {} }),
      [
        "resources[0].providers[0].kms.name: Required value: name is a mandatory field for a provider",
        'resources[0].providers[0].kms.endpoint: Invalid value: "": endpoint is a mandatory field for a kms',
      ],
    ],
    [
      "a plugin behind TCP",
      ofProvider({ kms: { ...KMS, endpoint: "tcp://localhost:8080" } }),
      [
        'resources[0].providers[0].kms.endpoint: Invalid value: "tcp://localhost:8080": unsupported scheme "tcp" for KMS provider, only unix is supported',
      ],
    ],
    [
      "a plugin with a colon in its name",
      ofProvider({ kms: { ...KMS, name: "a:b" } }),
      [`resources[0].providers[0].kms.name: Invalid value: "a:b": invalid KMS provider name a:b, must not contain ':'`],
    ],
    [
      "a cache of v2",
      ofProvider({ kms: { ...KMS, cachesize: 10 } }),
      ["resources[0].providers[0].kms.cachesize: Invalid value: 10: cachesize is not supported in v2"],
    ],
    [
      "a cache of nothing",
      ofProvider({ kms: { ...KMS, apiVersion: "v1", cachesize: 0 } }),
      [
        "resources[0].providers[0].kms.cachesize: Invalid value: 0: cachesize should be a positive value, or negative to disable",
      ],
    ],
    [
      "no time",
      ofProvider({ kms: { ...KMS, timeout: "0s" } }),
      ['resources[0].providers[0].kms.timeout: Invalid value: "0s": timeout should be a positive value'],
    ],
    [
      "another version",
      ofProvider({ kms: { ...KMS, apiVersion: "v3" } }),
      [
        'resources[0].providers[0].kms.apiVersion: Invalid value: "v3": unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported',
      ],
    ],
    [
      "a plugin's name twice",
      faults([
        { resources: ["secrets"], providers: [{ kms: KMS }] },
        { resources: ["configmaps"], providers: [{ kms: KMS }] },
      ]),
      [
        'resources[1].providers[0].kms.name: Invalid value: "plugin": duplicate KMS provider name plugin, names must be unique',
      ],
    ],
  ])("%s", (_, found, expected) => {
    expect(found).toEqual(expected);
  });

  test("for an entry with two providers, without the key's value in the error", () => {
    const [fault = ""] = ofProvider({ aescbc: { keys }, identity: {} });
    expect(fault).toContain(
      "more than one provider specified in a single element, should split into different list elements",
    );
    expect(fault).not.toContain(KEY);
  });

  test("for two KMS v1 plugins with one name, when the file is read again", () => {
    const kms = { kms: { ...KMS, apiVersion: "v1" } };
    const entries = ["secrets", "configmaps"].map((resource) => ({ resources: [resource], providers: [kms] }));
    expect(faults(entries)).toEqual([]);
    expect(faults(entries, true)).toHaveLength(1);
  });
});

const decode = (text: string) => decodeEncryptionConfiguration(readConfigurationDocument(text));

describe("UND-6: an EncryptionConfiguration is decoded strictly", () => {
  test.each([
    ["kind: EncryptionConfiguration\n", "Object 'apiVersion' is missing in 'kind: EncryptionConfiguration\n'"],
    [
      "kind: EncryptionConfigurations\napiVersion: apiserver.config.k8s.io/v1\n",
      'no kind "EncryptionConfigurations" is registered for version "apiserver.config.k8s.io/v1"',
    ],
    [
      "kind: EncryptionConfiguration\napiVersion: apiserver.config.k8s.io/v1\nresources: [{pandas: 1}]\n",
      'strict decoding error: unknown field "resources[0].pandas"',
    ],
  ])("from the text %j", (text, problem) => {
    expect(() => decode(text)).toThrow(problem);
  });

  test("from a file", () => {
    const text = `kind: EncryptionConfiguration
apiVersion: apiserver.config.k8s.io/v1
resources:
- resources: [secrets]
  providers:
  - kms: {apiVersion: v2, name: plugin, endpoint: "unix:///run/kms.sock", timeout: 5s}
  - identity: {}
`;
    const { resources } = decode(text);
    expect(resources[0]?.providers[0]?.kms).toMatchObject({ name: "plugin", timeout: "5s" });
    expect(encryptionErrors({ resources }, false)).toEqual([]);
  });
});
