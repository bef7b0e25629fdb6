// Wrong inputs, and the line that a terminal shows below the error. Without it a terminal shows what a pipe gets, and the pipe gets kubectl's
// bytes. The server is asked at most one request more for it, and in a pipe none.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mistypedIn } from "../../../src/base/text/mistyped.js";
import type { V2Model } from "../../../src/client/openapi/v2-models.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { explainLegacy } from "../../../src/commands/explain/legacy-plaintext.js";
import { runCli } from "../../helpers/run-cli.js";
import { newAuthority } from "../../helpers/tls-peer.js";

const ESCAPE = "\u001b";

let folder: string;
let cluster: Cluster;
let requests = 0;
const authority = newAuthority().certificate;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kubets-hints-"));
  cluster = await startCluster({
    controllers: false,
    scheduler: false,
    admission: { disable: ["ServiceAccount"] },
    onRequest: () => void (requests += 1),
  });
  write(FILES);
  writeFileSync(join(folder, "kubeconfig"), kubeconfig({ url: cluster.url, authority: cluster.caCertificate }));
  const made = await runCli(["create", "-f", "objects.yaml"], around({}));
  expect(made).toMatchObject({ code: 0, stderr: "" });
});
afterAll(async () => {
  await cluster.close();
  rmSync(folder, { recursive: true });
});

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

const around = (env: Readonly<Record<string, string>>) => ({
  cwd: folder,
  env: {
    HOME: folder,
    KUBECONFIG: join(folder, "kubeconfig"),
    KUBETS_HOME: join(folder, "home"),
    NO_COLOR: "1",
    ...env,
  },
});

interface Place {
  readonly url: string;
  readonly authority?: string;
}

/** The contexts `mine` and `other`, and what is added. `current` is the context in force. */
function kubeconfig(place: Place, current = "mine", more: readonly string[] = []): string {
  const entry = (name: string) => ({ name, context: { cluster: "mine", user: "me" } });
  return JSON.stringify({
    clusters: [clusterEntry("mine", place)],
    users: [{ name: "me", user: { token: cluster.token } }],
    contexts: ["mine", "other", ...more].map(entry),
    "current-context": current,
  });
}

const clusterEntry = (name: string, { url, authority: pem = authority }: Place) => ({
  name,
  cluster: { server: url, "certificate-authority-data": Buffer.from(pem).toString("base64") },
});

const pod = (name: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: {
    initContainers: [{ name: "setup", image: "i" }],
    containers: [
      { name: "server", image: "i" },
      { name: "sidecar", image: "i" },
    ],
  },
});

const deployment = (kind: string, apiVersion: string, spec: object = {}) => ({
  apiVersion,
  kind,
  metadata: { name: "front" },
  spec: {
    selector: { matchLabels: { app: "front" } },
    template: { metadata: { labels: { app: "front" } }, spec: { containers: [{ name: "web", image: "i" }] } },
    ...spec,
  },
});

const map = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
const definition = (kind: string) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${kind.toLowerCase()}s.shop.example.com` },
  spec: {
    group: "shop.example.com",
    names: { kind, plural: `${kind.toLowerCase()}s` },
    scope: "Namespaced",
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
});

const list = (...items: readonly object[]): string => items.map((item) => JSON.stringify(item)).join("\n---\n");

const FILES = {
  "objects.yaml": list(
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } },
    map("settings"),
    map("web-5d4c"),
    pod("backend"),
    pod("backend-2"),
    deployment("Deployment", "apps/v1"),
    definition("Cart"),
  ),
  "app.yaml": list(map("app")),
  "manifests/app.yaml": list(map("app")),
  "overlays/production/kustomization.yaml": "resources: [map.yml]\n",
  "overlays/production/map.yaml": list(map("app")),
  "app.properties": "a=b\n",
  "patch.yaml": "{}\n",
  [`hostile${ESCAPE}[31m.yaml`]: "",
  "kinds/near.yaml": list(deployment("Deploymnet", "apps/v1")),
  "kinds/old.yaml": list(deployment("Deployment", "extensions/v1beta1")),
  "kinds/core.yaml": list(deployment("Deployment", "v1")),
  "kinds/group.yaml": list(deployment("Deployment", "app/v1")),
  "kinds/elsewhere.yaml": list(deployment("Deploymnet", "extensions/v1beta1")),
  "kinds/custom.yaml": list({ apiVersion: "shop.example.com/v1", kind: "Crat", metadata: { name: "a" } }),
  "kinds/custom-version.yaml": list({ apiVersion: "shop.example.com/v2", kind: "Cart", metadata: { name: "a" } }),
  "kinds/far.yaml": list({ apiVersion: "v1", kind: "Zzz", metadata: { name: "a" } }),
  "fields.yaml": list(deployment("Deployment", "apps/v1", { replcas: 2 })),
};

/** The line; what it says in a pipe on stderr; the hint below it on a terminal, "" where there is none. */
type Row = readonly [line: string, said: string, hint: string];

const notFound = (resource: string, name: string): string =>
  `Error from server (NotFound): ${resource} "${name}" not found`;
const noFormat = (format: string, formats: string): string =>
  `error: unable to match a printer suitable for the output format "${format}", allowed formats are: ${formats}`;
const OBJECT_FORMATS =
  "go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,yaml";
const GET_FORMATS =
  "custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,wide,yaml";
const noKind = (file: string, kind: string, apiVersion: string, name = "front"): string =>
  `error: resource mapping not found for name: "${name}" namespace: "" from "kinds/${file}.yaml": no matches for kind "${kind}" in version "${apiVersion}"\nensure CRDs are installed first`;
const noContainer = (name: string): string =>
  `error: container ${name} is not valid for pod backend out of: server, sidecar, setup (init)`;
const noneMatches = (name: string): string =>
  `Warning: Deployment/front does not have any containers matching "${name}"`;
const noTarget = (name: string): string =>
  `The Pod "backend" is invalid: spec.ephemeralContainers[0].targetContainerName: Not found: "${name}"`;
const noField = (path: string): string => `error: couldn't find any field with path "${path}" in the list of objects`;

/** A table whose rows cannot be sorted is dropped. */
const NOTHING = "No resources found in default namespace.";
const unshown = (path: string, hint = ""): string =>
  `Nothing is shown: ${noField(path).slice(7)}${hint === "" ? "" : `\n${hint}`}`;

const CREATED = 'Did you mean ".metadata.creationTimestamp"?';
const UNEXPECTED_PATH =
  "error: unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'";

const NAMES: readonly Row[] = [
  ["get cm setings", notFound("configmaps", "setings"), 'Did you mean "settings"?'],
  ["get cm/setings -o yaml", notFound("configmaps", "setings"), 'Did you mean "settings"?'],
  ["describe cm setings", notFound("configmaps", "setings"), 'Did you mean "settings"?'],
  ["delete cm setings", notFound("configmaps", "setings"), 'Did you mean "settings"?'],
  ["label cm setings a=b", notFound("configmaps", "setings"), 'Did you mean "settings"?'],
  ["get cm web", notFound("configmaps", "web"), 'Did you mean "web-5d4c"?'],
  ["get cm entirely-different", notFound("configmaps", "entirely-different"), ""],
  ["scale deploy frnt --replicas=2", notFound("deployments.apps", "frnt"), 'Did you mean "front"?'],
  ["rollout restart deploy/frnt", notFound("deployments.apps", "frnt"), 'Did you mean "front"?'],
  ["exec backnd -- ls", notFound("pods", "backnd"), 'Did you mean "backend"?'],
  [
    "logs backnd",
    'error: error from server (NotFound): pods "backnd" not found in namespace "default"',
    'Did you mean "backend"?',
  ],
  ["port-forward backnd 80", notFound("pods", "backnd"), 'Did you mean "backend"?'],
  ["cp app.yaml backnd:/tmp/app.yaml", notFound("pods", "backnd"), 'Did you mean "backend"?'],
  ["delete ns shp", notFound("namespaces", "shp"), 'Did you mean "shop"?'],
  ["get deploymets", `error: the server doesn't have a resource type "deploymets"`, 'Did you mean "deployments"?'],
  ["get Deploymnet", `error: the server doesn't have a resource type "Deploymnet"`, 'Did you mean "deployment"?'],
  ["get zebras", `error: the server doesn't have a resource type "zebras"`, ""],
  ["config use-context othr", 'error: no context exists with the name: "othr"', 'Did you mean "other"?'],
  ["config get-contexts othr", "error: context othr not found", 'Did you mean "other"?'],
  [
    "get cm --context=othr",
    "Error in configuration: context was not found for specified context: othr",
    'Did you mean "other"?',
  ],
  ["version --context=othr", 'error: context "othr" does not exist', 'Did you mean "other"?'],
  ["version --cluster=mne", 'error: cluster "mne" does not exist', 'Did you mean "mine"?'],
  ["version --user=ma", 'error: auth info "ma" does not exist', 'Did you mean "me"?'],
];

const NAMESPACES: readonly Row[] = [
  ["get pods -n shp", "No resources found in shp namespace.", 'There is no namespace "shp". Did you mean "shop"?'],
  ["describe pods -n shp", "No resources found in shp namespace.", 'There is no namespace "shp". Did you mean "shop"?'],
  ["logs -l a=b -n shp", "No resources found in shp namespace.", 'There is no namespace "shp". Did you mean "shop"?'],
  [
    "get pods -n nowhere",
    "No resources found in nowhere namespace.",
    'There is no namespace "nowhere". List those there are with: kubectl get namespaces',
  ],
  [
    "scale deploy --all --replicas=1 -n shp",
    "error: no objects passed to scale",
    'There is no namespace "shp". Did you mean "shop"?',
  ],
  ["get pods -n shop", "No resources found in shop namespace.", ""],
  ["get ds", "No resources found in default namespace.", ""],
  ["create cm x -n shp", 'error: failed to create configmap: namespaces "shp" not found', 'Did you mean "shop"?'],
  [
    "apply -f app.yaml -n shp",
    'Error from server (NotFound): error when creating "app.yaml": namespaces "shp" not found',
    'Did you mean "shop"?',
  ],
  ["get pod backend -n shp", notFound("namespaces", "shp"), 'Did you mean "shop"?'],
  [
    "get pod backend -n shop",
    notFound("pods", "backend"),
    'There are no pods in namespace "shop"; list those of all with: kubectl get pods -A',
  ],
];

const CONTAINERS: readonly Row[] = [
  ["logs backend -c sever", noContainer("sever"), 'Did you mean "server"?'],
  ["logs backend -c setp", noContainer("setp"), 'Did you mean "setup"?'],
  ["exec backend -c sidcar -- ls", noContainer("sidcar"), 'Did you mean "sidecar"?'],
  [
    "attach backend -c sidcar",
    noContainer("sidcar").replace("container", "cannot attach to the container: container"),
    'Did you mean "sidecar"?',
  ],
  ["exec backend -c database -- ls", noContainer("database"), ""],
  ["set image deploy/front wbe=i", 'error: unable to find container named "wbe"', 'Did you mean "web"?'],
  [
    "set resources deploy/front -c wbe --limits=cpu=1",
    "error: unable to find container named wbe",
    'Did you mean "web"?',
  ],
  ["set env deploy/front -c wbe A=b", noneMatches("wbe"), 'Did you mean "web"?'],
  ["set env deploy/front -c wbe --list", noneMatches("wbe"), 'Did you mean "web"?'],
  ["set env deploy/front -c database A=b", noneMatches("database"), ""],
  ["set env deploy/front -c w A=b", noneMatches("w"), ""],
];

const FIELDS: readonly Row[] = [
  [
    "create -f fields.yaml",
    'Error from server (BadRequest): error when creating "fields.yaml": Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.replcas"',
    'Did you mean "replicas"?',
  ],
  [
    "apply --server-side -f fields.yaml",
    "Error from server: failed to create typed patch object (default/front; apps/v1, Kind=Deployment): .spec.replcas: field not declared in schema",
    'Did you mean "replicas"?',
  ],
  ["explain pods.spec.contaners", 'error: field "contaners" does not exist', 'Did you mean "spec.containers"?'],
  ["explain pods.spec.contaners.image", 'error: field "image" does not exist', 'Did you mean "spec.containers.image"?'],
  ["explain pods.zzz", 'error: field "zzz" does not exist', ""],
  ["get cm --sort-by=.metadata.nam", NOTHING, unshown("{.metadata.nam}", 'Did you mean ".metadata.name"?')],
  ["get cm --sort-by=.metdata.name", NOTHING, unshown("{.metdata.name}", 'Did you mean ".metadata.name"?')],
  [
    "get pods --sort-by=.spec.containers[0].nam -o name",
    noField("{.spec.containers[0].nam}"),
    'Did you mean ".spec.containers[0].name"?',
  ],
  ["get cm --sort-by=.metadata.namespace,-.metadata.nam", noField("{.metadata.nam}"), 'Did you mean ".metadata.name"?'],
  ["get cm --sort-by=.metadata.zzz", NOTHING, unshown("{.metadata.zzz}")],
  ["get cm --sort-by=name", NOTHING, unshown("{.name}", 'Did you mean ".metadata.name"?')],
  ["get cm --sort-by=nam", NOTHING, unshown("{.nam}", 'Did you mean ".metadata.name"?')],
  ["get cm --sort-by={creationtimestamp}", NOTHING, unshown("{.creationtimestamp}", CREATED)],
  ["get cm --sort-by=name -o name", noField("{.name}"), 'Did you mean ".metadata.name"?'],
  ["get cm --sort-by=-name", noField("{.name}"), 'Did you mean ".metadata.name"?'],
  ["get pods --sort-by=image -o name", noField("{.image}"), 'Did you mean ".spec.containers[0].image"?'],
  [
    "get pods --sort-by=.spec.containers.image -o name",
    noField("{.spec.containers.image}"),
    'Did you mean ".spec.containers[0].image"?',
  ],
  ["get cm --sort-by=toString", NOTHING, unshown("{.toString}")],
  [
    "get cm --sort-by={.metadata.name",
    NOTHING,
    'Nothing is shown: sorting error: unclosed action\nDid you mean ".metadata.name"?',
  ],
  ["get cm --sort-by={.metadata.name -o name", UNEXPECTED_PATH, 'Did you mean ".metadata.name"?'],
  ["get cm --sort-by=metadata.name} -o name", UNEXPECTED_PATH, 'Did you mean ".metadata.name"?'],
  ["get cm --sort-by={} -o name", UNEXPECTED_PATH, ""],
];

const FORMATS: readonly Row[] = [
  ["get cm -o yml", noFormat("yml", GET_FORMATS), 'Did you mean "yaml"?'],
  ["get cm -o jsn", noFormat("jsn", GET_FORMATS), 'Did you mean "json"?'],
  ["get cm -o wid", noFormat("wid", GET_FORMATS), 'Did you mean "wide"?'],
  ["get cm -o custom", noFormat("custom", GET_FORMATS), 'Did you mean "custom-columns"?'],
  ["get cm -o jsonpth={.kind}", noFormat("jsonpth={.kind}", GET_FORMATS), 'Did you mean "jsonpath"?'],
  ["get cm -o table", noFormat("table", GET_FORMATS), ""],
  ["create cm x -o yml --dry-run=client", noFormat("yml", OBJECT_FORMATS), 'Did you mean "yaml"?'],
  ["api-resources -o yml", noFormat("yml", "json,kyaml,name,wide,yaml"), 'Did you mean "yaml"?'],
  ["config view -o jsn", noFormat("jsn", OBJECT_FORMATS), 'Did you mean "json"?'],
  ["explain pods --output=plaintxt", "error: unrecognized format: plaintxt", 'Did you mean "plaintext"?'],
  ["version -o yml", "error: --output must be 'yaml' or 'json'", 'Did you mean "yaml"?'],
];

const KINDS: readonly Row[] = [
  ["create -f kinds/near.yaml", noKind("near", "Deploymnet", "apps/v1"), 'Did you mean "Deployment"?'],
  [
    "apply -f kinds/old.yaml",
    noKind("old", "Deployment", "extensions/v1beta1"),
    'Deployment is served in apps/v1; write "apiVersion: apps/v1".',
  ],
  [
    "apply -f kinds/core.yaml",
    noKind("core", "Deployment", "v1"),
    'Deployment is served in apps/v1; write "apiVersion: apps/v1".',
  ],
  [
    "get -f kinds/group.yaml",
    noKind("group", "Deployment", "app/v1").slice(7),
    'Deployment is served in apps/v1; write "apiVersion: apps/v1".',
  ],
  [
    "create -f kinds/elsewhere.yaml",
    noKind("elsewhere", "Deploymnet", "extensions/v1beta1"),
    'Did you mean "Deployment"? It is served in apps/v1.',
  ],
  ["create -f kinds/custom.yaml", noKind("custom", "Crat", "shop.example.com/v1", "a"), 'Did you mean "Cart"?'],
  [
    "create -f kinds/custom-version.yaml",
    noKind("custom-version", "Cart", "shop.example.com/v2", "a"),
    'Cart is served in shop.example.com/v1; write "apiVersion: shop.example.com/v1".',
  ],
  ["create -f kinds/far.yaml", noKind("far", "Zzz", "v1", "a"), ""],
];

const noMap =
  "evalsymlink failure on 'FOLDER/overlays/production/map.yml' : lstat FOLDER/overlays/production/map.yml: no such file or directory";

const FILES_THAT_ARE_NOT: readonly Row[] = [
  ["apply -f app.yml", 'error: the path "app.yml" does not exist', 'Did you mean "app.yaml"?'],
  ["apply -f app.json", 'error: the path "app.json" does not exist', 'Did you mean "app.yaml"?'],
  ["apply -f ./ap.yaml", 'error: the path "./ap.yaml" does not exist', 'Did you mean "./app.yaml"?'],
  [
    "apply -f manifsts/app.yml",
    'error: the path "manifsts/app.yml" does not exist',
    'Did you mean "manifests/app.yaml"?',
  ],
  ["apply -f nothing-like-it", 'error: the path "nothing-like-it" does not exist', ""],
  ["apply -f hostile.yaml", 'error: the path "hostile.yaml" does not exist', ""],
  [
    "create cm x --from-file=app.propertis",
    "error: error reading app.propertis: no such file or directory",
    'Did you mean "app.properties"?',
  ],
  [
    "patch cm settings --patch-file=ptch.yaml",
    "error: unable to read patch file: open ptch.yaml: no such file or directory",
    'Did you mean "patch.yaml"?',
  ],
  [
    "cp ./app.yml backend:/tmp/app.yaml",
    "error: ./app.yml doesn't exist in local filesystem",
    'Did you mean "./app.yaml"?',
  ],
  [
    "apply -k overlays/producton",
    "error: must build at directory: not a valid directory: evalsymlink failure on 'overlays/producton' : lstat FOLDER/overlays/producton: no such file or directory",
    'Did you mean "overlays/production"?',
  ],
  [
    "apply -k overlays/production",
    `error: accumulating resources: accumulation err='accumulating resources from 'map.yml': ${noMap}': must build at directory: not a valid directory: ${noMap}`,
    'Did you mean "overlays/production/map.yaml"?',
  ],
  ["get cm --kubeconfig=kubeconfg", "error: stat kubeconfg: no such file or directory", 'Did you mean "kubeconfig"?'],
];

const VALUES: readonly Row[] = [
  [
    "create cm x --dry-run=cliet",
    'error: Invalid dry-run value (cliet). Must be "none", "server", or "client".',
    'Did you mean "client"?',
  ],
  [
    "delete cm settings --cascade=orphn",
    'error: invalid cascade value (orphn). Must be "background", "foreground", or "orphan"',
    'Did you mean "orphan"?',
  ],
  [
    "patch cm settings --type=merg -p {}",
    'error: --type must be one of [json merge strategic], not "merg"',
    'Did you mean "merge"?',
  ],
  [
    "wait pod/backend --for=conditon=Ready",
    'error: unrecognized condition: "conditon=Ready"',
    'Did you mean "condition=Ready"?',
  ],
  [
    "get cm --show-label",
    "error: unknown flag: --show-label\nSee 'kubectl get --help' for usage.",
    'Did you mean "--show-labels"?',
  ],
];

describe.each([
  ["names", NAMES],
  ["namespaces", NAMESPACES],
  ["containers", CONTAINERS],
  ["fields", FIELDS],
  ["formats", FORMATS],
  ["kinds", KINDS],
  ["files", FILES_THAT_ARE_NOT],
  ["values of flags", VALUES],
])("similar names that a hint suggests for a mistyped one: %s", (_title, rows) => {
  test.each(rows)("%s", async (line, said, hint) => {
    const run = async (terminal: boolean) => {
      const before = requests;
      const outcome = await runCli(line.split(" "), { ...around({}), terminal });
      return { ...outcome, asked: requests - before };
    };
    const piped = await run(false);
    const error = `${said.replaceAll("FOLDER", folder)}\n`;
    expect(piped.stderr).toBe(error);
    const shown = await run(true);
    expect({ ...shown, asked: 0 }).toEqual({
      ...piped,
      stderr: error + (hint === "" ? "" : `${hint}\n`),
      asked: 0,
    });
    expect(shown.asked - piped.asked).toBeLessThanOrEqual(1);
  });
});

// On a terminal it says more before the error, which is why it is no row of the containers.
test.each([
  ["sever", '\nDid you mean "server"?'],
  ["setp", '\nDid you mean "setup"?'],
  ["database", ""],
])(
  "debug --target=%s of a container that does not exist gets a hint with the similar name, if there is one",
  async (target, hint) => {
    const line = ["debug", "backend", `--target=${target}`, "--container=eyes", "--image=i"];
    const piped = await runCli(line, around({}));
    const shown = await runCli(line, { ...around({}), terminal: true });
    expect([piped.code, piped.stderr]).toEqual([1, `${noTarget(target)}\n`]);
    expect([shown.code, shown.stderr.slice(shown.stderr.indexOf("The Pod"))]).toEqual([
      1,
      `${noTarget(target)}${hint}\n`,
    ]);
  },
);

test("apply of an object with a field that OpenAPI v2 does not know prints an error with the known fields", () => {
  const text: V2Model = { type: "primitive", name: "string", description: "" };
  const root: V2Model = { type: "kind", description: "", required: [], fields: new Map([["image", text]]) };
  const models = { ofKind: () => root, target: () => root };
  const kind = { group: "", version: "v1", kind: "Pod" };
  let thrown: unknown;
  try {
    explainLegacy(root, models, { kind, fields: ["imge"], recursive: false });
  } catch (error) {
    thrown = error;
  }
  const { typed, known } = mistypedIn(thrown) ?? { typed: "", known: [] };
  expect([typed, [...known]]).toEqual(["imge", ["image"]]);
});
