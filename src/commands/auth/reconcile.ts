import { dictionary } from "../../base/collections/dictionary.js";
import { errorMessage } from "../../base/text/error-message.js";
import { readTyped } from "../../actions/typed/read-typed.js";
import { loadTypedKinds, type TypedKinds } from "../../actions/typed/typed-object.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import {
  dryRunFlag,
  filenameFlags,
  readDryRun,
  readFilenames,
  requireFilenames,
  withDryRun,
} from "../../cli/flags/resource-flags.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { ruleText } from "../../machinery/rbac/policy-rule.js";
import type { Reconciliation, Subject } from "../../machinery/rbac/reconciliation.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { printerFor } from "../../printers/formats.js";
import type { Result } from "../../resource/builder.js";
import { TypedClient } from "../../actions/typed/typed-client.js";
import { isAlreadyExists, isConflict, isForbidden, isNotFound } from "../../machinery/errors/status-error.js";
import { reconcileBinding } from "../../machinery/rbac/reconciliation.js";
import { reconcileRole } from "../../machinery/rbac/reconciliation.js";

export interface ReconcileSettings {
  readonly client: RestClient;
  readonly kinds: TypedKinds;
  readonly dryRun: boolean;
  /** Takes away what `wanted` does not have. */
  readonly removeExtra: boolean;
}

/** How often a write is tried that another client's write comes before. */
const CONFLICTS = 3;

/** Changes the live object to match `wanted`. Resolves with the changes and the object after them. */
export async function reconcile(
  wanted: KubeObject,
  kind: ReconcileKind,
  settings: ReconcileSettings,
): Promise<Reconciliation> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt(wanted, kind, settings);
    } catch (error) {
      if (!isConflict(error) || tries === CONFLICTS) throw error;
    }
  }
}

async function attempt(wanted: KubeObject, kind: ReconcileKind, settings: ReconcileSettings): Promise<Reconciliation> {
  const { client, kinds, dryRun, removeExtra } = settings;
  const { apiVersion = "", kind: kindName = "", metadata } = wanted;
  const objects = new TypedClient(client, kinds, { apiVersion, kind: kindName });
  const namespace = kind.namespaced ? (metadata?.namespace ?? "") : undefined;
  for (let tries = 0; tries < kind.attempts; tries += 1) {
    const live = await objects.get(namespace ?? "", metadata?.name ?? "").catch(unless(isNotFound));
    const outcome = kind.compare(live, wanted, removeExtra);
    if (outcome.isProtected || dryRun || outcome.operation === "none") return outcome;
    const object = await write(outcome, live, namespace, objects, settings);
    if (object !== undefined) return { ...outcome, object };
  }
  throw new Error("exceeded maximum attempts");
}

/** Undefined when the object came or went since it was looked at. */
async function write(
  { operation, object }: Reconciliation,
  live: KubeObject | undefined,
  /** Undefined where the kind has none. */
  namespace: string | undefined,
  objects: TypedClient,
  settings: ReconcileSettings,
): Promise<KubeObject | undefined> {
  if (operation === "update") return objects.update(namespace ?? "", object).catch(unless(isNotFound));
  if (operation === "recreate") {
    const { name = "", uid = "" } = live?.metadata ?? {};
    const isAnother = await objects.delete(namespace ?? "", name, uid).then(
      () => false,
      (error: unknown) => {
        if (isNotFound(error)) return false;
        if (isConflict(error)) return true;
        throw error;
      },
    );
    if (isAnother) return undefined;
  }
  if (namespace !== undefined) await ensureNamespace(namespace, settings);
  return objects.create(namespace ?? "", object).catch(unless(isAlreadyExists));
}

/** Failures are ignored: a user who writes roles need not be allowed to see namespaces. */
async function ensureNamespace(name: string, { client, kinds }: ReconcileSettings): Promise<void> {
  const namespaces = new TypedClient(client, kinds, { apiVersion: "v1", kind: "Namespace" });
  const found = await namespaces.get("", name).catch(unless(isNotFound, isForbidden));
  if (found !== undefined) return;
  await namespaces.create("", { metadata: { name } }).catch(unless(isAlreadyExists, isForbidden));
}

type ErrorPredicate = (error: unknown) => boolean;

/** Lets pass what one of the predicates expects. */
const unless =
  (...expected: readonly ErrorPredicate[]) =>
  (error: unknown): undefined => {
    if (!expected.some((isExpected) => isExpected(error))) throw error;
  };

/** The rules of `auth reconcile` for one kind. */
export interface ReconcileKind {
  readonly compare: typeof reconcileRole;
  readonly isBinding: boolean;
  readonly namespaced: boolean;
  /** How often it is tried when the object comes and goes meanwhile. */
  readonly attempts: number;
}

const role = { compare: reconcileRole, isBinding: false, attempts: 3 };
const binding = { compare: reconcileBinding, isBinding: true, attempts: 4 };
const version = "rbac.authorization.k8s.io/v1";

const OLD_VERSION = /^rbac\.authorization\.k8s\.io\/(v1beta1|v1alpha1)$/;

/** Go's name of the type, for a kind of RBAC in a version that is no longer supported. */
export function oldType({ apiVersion = "", kind = "" }: KubeObject): string | undefined {
  const name = OLD_VERSION.exec(apiVersion)?.[1];
  return name === undefined || reconcileKinds[`${version}/${kind}`] === undefined ? undefined : `*${name}.${kind}`;
}

/** The kinds that can be reconciled, by "<group version>/<kind>". */
export const reconcileKinds: Readonly<Record<string, ReconcileKind>> = dictionary({
  [`${version}/Role`]: { ...role, namespaced: true },
  [`${version}/ClusterRole`]: { ...role, namespaced: false },
  [`${version}/RoleBinding`]: { ...binding, namespaced: true },
  [`${version}/ClusterRoleBinding`]: { ...binding, namespaced: false },
});

export interface ReconcileOptions {
  readonly objects: Result;
  readonly removeExtraPermissions: boolean;
  readonly removeExtraSubjects: boolean;
  /** Says what would be done. */
  readonly dryRun: boolean;
  readonly client: RestClient;
  readonly kinds: TypedKinds;
  readonly print: (object: KubeObject) => void;
  readonly streams: Pick<Streams, "err">;
}

export function reconcileCommand(run = runReconcile): Command {
  return {
    use: "reconcile -f FILENAME",
    description: `Bring roles, cluster roles and their bindings in line with a file.

What is missing is created, the namespace too where one is needed. What is there is given the permissions and subjects of the file that it
lacks, and loses those the file does not have only with --remove-extra-permissions and --remove-extra-subjects. Unlike apply this knows what
rules mean: a permission that is there in other words is not added again.`,
    examples: `# Bring roles and bindings in line with a file
{{program}} auth reconcile -f my-rbac-rules.yaml`,
    flags: [
      ...printFlags,
      ...filenameFlags("File, directory or URL that says how roles and bindings should be"),
      { name: "remove-extra-permissions", type: "bool", usage: "Take away permissions that the file does not have" },
      { name: "remove-extra-subjects", type: "bool", usage: "Take away subjects that the file does not have" },
      dryRunFlag,
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
  };
}

async function complete(factory: Factory, { args, flags }: Invocation): Promise<ReconcileOptions> {
  const files = readFilenames(flags);
  requireFilenames(files);
  if (args.length > 0) throw new Error("no arguments are allowed");
  const dryRun = readClientDryRun(factory, flags);
  const { namespace, enforced } = await factory.namespace();
  const kinds = await loadTypedKinds({ retired: true });
  const objects = await (await factory.builder())
    .local(true)
    .decode((object) => decode(object, kinds))
    .continueOnError()
    .namespaceParam(namespace)
    .defaultNamespace()
    .filenames(enforced, files)
    .flatten()
    .do();
  const client = await factory.restClient();
  const request = { ...readPrintRequest(flags, factory), encode: kinds.encode };
  const printer = printerFor(request, withDryRun("reconciled", dryRun ? "client" : "none"));
  return {
    objects,
    removeExtraPermissions: flags.bool("remove-extra-permissions"),
    removeExtraSubjects: flags.bool("remove-extra-subjects"),
    dryRun,
    client,
    kinds,
    print: (object) => printer.print(object, (text) => factory.streams.out.write(text)),
    streams: factory.streams,
  };
}

function readClientDryRun(factory: Factory, flags: Invocation["flags"]): boolean {
  let dryRun: ReturnType<typeof readDryRun>;
  try {
    dryRun = readDryRun(flags, factory);
  } catch (error) {
    const reason = errorMessage(error);
    throw new Error(`error accessing --dry-run flag for command reconcile: ${reason}`, { cause: error });
  }
  if (dryRun === "server") throw new Error("--dry-run=server for command reconcile is not supported yet");
  return dryRun === "client";
}

/** As its type holds it, with the maps of metadata that are there and empty: they count as a wish. */
function decode(object: KubeObject, kinds: TypedKinds): KubeObject {
  if (oldType(object) !== undefined) return object;
  const typed = readTyped(object, kinds);
  const { labels, annotations } = object.metadata ?? {};
  const metadata = { ...(isMap(labels) && { labels: {} }), ...(isMap(annotations) && { annotations: {} }) };
  return { ...typed, metadata: { ...metadata, ...typed.metadata } };
}

const isMap = (value: unknown): boolean => typeof value === "object" && value !== null;

/** Reconciles the objects one after the other, continues after a failure, and skips other kinds. */
export async function runReconcile(options: ReconcileOptions): Promise<void> {
  await options.objects.visit(async ({ object = {} }) => {
    const old = oldType(object);
    if (old !== undefined) throw new Error(`only rbac.authorization.k8s.io/v1 is supported: not ${old}`);
    const kind = reconcileKinds[`${object.apiVersion}/${object.kind}`];
    if (kind !== undefined) await reconcileOne(object, kind, options);
  });
}

async function reconcileOne(object: KubeObject, kind: ReconcileKind, options: ReconcileOptions): Promise<void> {
  const { client, kinds, dryRun } = options;
  const removeExtra = kind.isBinding ? options.removeExtraSubjects : options.removeExtraPermissions;
  const outcome = await reconcile(object, kind, { client, kinds, dryRun, removeExtra });
  printOutcome(outcome, options);
}

function printOutcome(outcome: Reconciliation, options: ReconcileOptions): void {
  try {
    options.print(outcome.object);
  } catch {
    // kubectl does not look at what becomes of its output here.
  }
  const { operation, isProtected } = outcome;
  if (operation === "none") return;
  const caveat = isProtected ? ", but object opted out (rbac.authorization.kubernetes.io/autoupdate: false)" : "";
  const lines = [
    `\treconciliation required ${operation}${caveat}`,
    ...listed("missing subjects added", outcome.missingSubjects.map(subjectText)),
    ...listed("extra subjects removed", options.removeExtraSubjects ? outcome.extraSubjects.map(subjectText) : []),
    ...listed("missing rules added", outcome.missingRules.map(ruleText)),
    ...listed("extra rules removed", options.removeExtraPermissions ? outcome.extraRules.map(ruleText) : []),
  ];
  options.streams.err.write(lines.map((line) => `${line}\n`).join(""));
}

const listed = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [`\t${title}:`, ...lines.map((line) => `\t\t${line}`)];

/** As Go's %+v has it. */
const subjectText = ({ kind, apiGroup, name, namespace }: Subject): string =>
  `{Kind:${kind} APIGroup:${apiGroup} Name:${name} Namespace:${namespace}}`;
