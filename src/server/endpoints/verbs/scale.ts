import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { ScaleStatus, ScaleSpec, Scale } from "../../../api/types/autoscaling/v1.js";
import type { TableRow, Table, PartialObjectMetadata } from "../../../api/types/meta/v1.js";
import { inSlices } from "../../../base/async/time-slice.js";
import { decodeObject, UnmarshalError } from "../../../machinery/wire/strict-decode.js";
import { invalidValue } from "../../../machinery/errors/field-error.js";
import { goQuote } from "../../../base/text/go-quote.js";
import {
  badRequest,
  conflict,
  internalError,
  invalid,
  notFound,
  type StatusError,
} from "../../../machinery/errors/status-error.js";
import { type JsonValue } from "../../../machinery/meta/json.js";
import type { ObjectMeta, ListMeta, KubeObject } from "../../../machinery/meta/object.js";
import { fromSchema } from "../../../machinery/patch/strategic-schema.js";
import { copyObject } from "../../registry/copy.js";
import { assign, metadataOf } from "../../registry/metadata.js";
import type { Getter, UpdateOptions, Updater } from "../../registry/resource.js";
import type { ApiRequest } from "../../request/api-request.js";
import { metaSchema, SCALE } from "../meta-kinds.js";
import { decodeBody } from "../negotiation/decode-body.js";
import { readBytes, readObjectBody, runSteps } from "../negotiation/request-body.js";
import { patchedKind } from "../negotiation/patched-kind.js";
import { negotiate, type Offers, type ResponseFormat } from "../negotiation/response-format.js";
import { writeOptions } from "../options/write-options.js";
import type { ServedResource } from "../served-resource.js";
import { respondValue } from "./answer.js";
import { readAppliedObject } from "./applied-object.js";
import { fieldManagerName } from "./field-tracking.js";
import { applyPatchSteps, patchRefusal } from "./patch.js";
import { auditPatch, decodePatchSteps, APPLY, type PatchType, patchTypeOf, STRATEGIC } from "./patch-body.js";
import { scaleManagers, scaleTracking } from "./scale-tracking.js";
import { checkName } from "./update.js";
import { Admitter } from "./admitter.js";
import { includeObject, scopeOf } from "./scope.js";
import { humanDuration } from "../../../machinery/text/duration/human-duration.js";
import { isStruct, number, object, type ReceivedObject } from "../../../machinery/meta/received.js";
import type { TableColumnDefinition } from "../../registry/table-columns.js";
import { tableEnvelope } from "../serializers/json/shapes.js";
import type { IncludeObject } from "../serializers/serializer.js";

/** Handles GET of /scale: answers the object's replicas as an autoscaling/v1 Scale. */
export async function handleScaleGet(request: ApiRequest, resource: ServedResource, storage: Getter): Promise<void> {
  const stored = await storage.get(scopeOf(request), request.info.name, {});
  const { scale } = resource.strategy;
  if (scale.replicas(stored.object()) === undefined) {
    throw internalError(`the spec replicas field ${goQuote(scale.replicasPath ?? "")} does not exist`);
  }
  await respondScale(request, resource, scaleOf(resource, stored.object()));
}

/** Handles PUT of /scale. */
export async function handleScaleUpdate(
  request: ApiRequest,
  resource: ServedResource,
  storage: Updater,
): Promise<void> {
  const options = writeOptions(request.exchange.query, "UpdateOptions");
  const body = await readObjectBody(request);
  const decoded = await decodeBody(body, {
    expected: SCALE,
    mode: options.fieldValidation,
    schemaOf: resource.codec.schemaOf,
  });
  for (const warning of decoded.warnings) request.warnings.add(warning);
  request.audit?.decoded(decoded.object, resource.codec.schemaOf(decoded.kind));
  checkName(decoded.object, request.info);
  const manager = fieldManagerName(request, options);
  const uid = decoded.object.metadata?.uid ?? "";
  const change = (live: KubeObject) => {
    const next = structuredClone(decoded.object);
    scaleTracking(resource).track(next, live, manager);
    return next;
  };
  await write(request, resource, storage, options.dryRun, change, uid === "" ? undefined : { uid });
}

/** Handles PATCH of /scale. */
export async function handleScalePatch(request: ApiRequest, resource: ServedResource, storage: Updater): Promise<void> {
  const type = patchTypeOf(request, resource);
  const bytes = await readBytes(request);
  const options = writeOptions(request.exchange.query, "PatchOptions", { apply: type === APPLY });
  auditPatch(request, bytes, type, resource.release);
  const tracking = scaleTracking(resource);
  if (type === APPLY) {
    const applied = await readAppliedObject(bytes, options, request, resource.release);
    await write(request, resource, storage, options.dryRun, (live) => {
      const scale = tracking.apply(live, applied.object, options.fieldManager, options.force);
      applied.checkKeys();
      checkName(scale, request.info);
      return scale;
    });
    return;
  }
  const steps = decodePatchSteps(bytes, type, options.fieldValidation, resource.release);
  const { value: patch } = await runSteps(bytes, steps, request);
  const manager = fieldManagerName(request, options);
  await write(request, resource, storage, options.dryRun, async (live) => {
    const next = await patchScale(request, resource, live, patch, type);
    checkName(next, request.info);
    tracking.track(next, live, manager);
    return next;
  });
}

async function patchScale(
  request: ApiRequest,
  resource: ServedResource,
  live: KubeObject,
  patch: JsonValue,
  type: PatchType,
): Promise<KubeObject> {
  const patched = await inSlices(
    applyPatchSteps(live as JsonValue, patch, type, () => fromSchema(metaSchema(SCALE))),
    request,
  );
  try {
    if (type !== STRATEGIC && patchedKind(patched, SCALE, resource.codec.schemaOf) === undefined) return {};
    return decodeObject<KubeObject>(patched, metaSchema(SCALE), { mode: "Ignore" }).object;
  } catch (error) {
    if (error instanceof UnmarshalError) throw patchRefusal(patch, patched, type, error.message);
    throw error;
  }
}

async function write(
  request: ApiRequest,
  resource: ServedResource,
  storage: Updater,
  dryRun: boolean,
  change: (current: KubeObject) => KubeObject | Promise<KubeObject>,
  preconditions?: UpdateOptions["preconditions"],
): Promise<void> {
  const { info } = request;
  // Plugins see Scales, as the client does, and not the object behind them.
  const { mutate, validate } = new Admitter(request, resource, dryRun, { kind: SCALE, schema: metaSchema(SCALE) })
    .change;
  const seen = (object: KubeObject) => scaleOf(resource, object);
  const update = { validate: validate && ((draft: KubeObject, old: KubeObject) => validate(seen(draft), seen(old))) };
  const { object } = await storage.update(
    scopeOf(request, dryRun),
    info.name,
    async (current) => {
      if (current === undefined) throw notFound({ group: info.apiGroup, resource: info.resource }, info.name);
      const { scale: mapping } = resource.strategy;
      const managers = scaleManagers(resource, current.object());
      const live = scaleOf(resource, current.object());
      if (mapping.replicas(current.object()) === undefined) live.spec = { replicas: NO_REPLICAS };
      assign(metadataOf(live), "managedFields", managers.toScale());
      const scale = await change(live);
      await mutate?.(scale, live);
      const draft = copyObject(current.object());
      const replicas = replicasOf(scale);
      if (replicas === NO_REPLICAS && mapping.replicasPath !== undefined) {
        throw badRequest(`the spec replicas field ${goQuote(mapping.replicasPath)} cannot be empty`);
      }
      if (replicas < 0 && mapping.replicasPath === undefined) {
        const problem = invalidValue("spec.replicas", replicas, "must be greater than or equal to 0");
        throw invalid(SCALE, info.name, [problem]);
      }
      const version = scale.metadata?.resourceVersion ?? "";
      const uid = scale.metadata?.uid ?? "";
      if (uid !== "" && uid !== draft.metadata?.uid) throw otherObject(request, uid, draft.metadata?.uid ?? "");
      if (version !== "" && draft.metadata !== undefined) draft.metadata.resourceVersion = version;
      mapping.setReplicas(draft, replicas);
      assign(metadataOf(draft), "managedFields", managers.toParent(scale.metadata?.managedFields));
      return draft;
    },
    { preconditions, admit: { create: {}, update } },
  );
  await respondScale(request, resource, scaleOf(resource, object.object()));
}

/** Stands for the replicas of a custom resource that has none, so that a change can be told from leaving them out. */
const NO_REPLICAS = -(2 ** 31);

/** The scale was read from another object of that name. */
function otherObject({ info }: ApiRequest, wanted: string, found: string): StatusError {
  const text = `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found}`;
  return conflict({ group: info.apiGroup, resource: `${info.resource}/scale` }, info.name, text);
}

function replicasOf(scale: KubeObject): number {
  const { spec }: ReceivedObject<Scale> = scale;
  const replicas = isStruct(spec) ? spec.replicas : 0;
  return typeof replicas === "number" ? replicas : 0;
}

function scaleOf(resource: ServedResource, object: KubeObject): KubeObject {
  const { scale } = resource.strategy;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata ?? {};
  const selector = scale.selector(object);
  return {
    kind: SCALE.kind,
    apiVersion: "autoscaling/v1",
    metadata: {
      ...(name !== undefined && ({ name } satisfies FieldsOf<ObjectMeta>)),
      ...(namespace !== undefined && ({ namespace } satisfies FieldsOf<ObjectMeta>)),
      ...(uid !== undefined && ({ uid } satisfies FieldsOf<ObjectMeta>)),
      ...(resourceVersion !== undefined && ({ resourceVersion } satisfies FieldsOf<ObjectMeta>)),
      ...(creationTimestamp !== undefined && ({ creationTimestamp } satisfies FieldsOf<ObjectMeta>)),
    },
    spec: { replicas: scale.replicas(object) ?? 0 } satisfies FieldsOf<ScaleSpec>,
    status: {
      replicas: scale.statusReplicas(object),
      ...(selector !== "" && ({ selector } satisfies FieldsOf<ScaleStatus>)),
    } satisfies FieldsOf<ScaleStatus>,
  } satisfies FieldsOf<Scale>;
}

async function respondScale(request: ApiRequest, resource: ServedResource, scale: KubeObject): Promise<void> {
  const { exchange } = request;
  const format = negotiate(exchange, OFFERS);
  if (format.shape !== "Table") return respondValue(request, format, 200, scale, metaSchema(SCALE));
  const table = scaleTable(scale, format, includeObject(exchange.query, format), resource.now());
  await respondValue(request, format, 200, table);
}

const OFFERS: Offers = (shape, mediaType) =>
  shape === "object" || (shape === "Table" && mediaType !== "application/vnd.kubernetes.protobuf");

/** Returns a Scale as a meta.k8s.io Table of one row. `now` is milliseconds since the epoch. */
function scaleTable(
  scale: KubeObject,
  format: ResponseFormat,
  include: IncludeObject,
  now: number,
): Readonly<Record<string, unknown>> {
  const { metadata = {}, spec, status }: ReceivedObject<Scale> = scale;
  const created = Date.parse(metadata.creationTimestamp ?? "");
  const cells = [
    metadata.name ?? "",
    number(object(spec).replicas),
    number(object(status).replicas),
    Number.isNaN(created) ? "<unknown>" : humanDuration(now - created),
  ];
  const resourceVersion = metadata.resourceVersion ?? "";
  return {
    ...tableEnvelope(format, { resourceVersion } satisfies FieldsOf<ListMeta>, DEFINITIONS),
    rows: [{ cells, object: riding(scale, format, include) } satisfies FieldsOf<TableRow>],
  } satisfies FieldsOf<Table>;
}

function riding(scale: KubeObject, { metaVersion }: ResponseFormat, include: IncludeObject): KubeObject | null {
  if (include === "None") return null;
  if (include === "Object") return scale;
  return {
    kind: "PartialObjectMetadata",
    apiVersion: `meta.k8s.io/${metaVersion}`,
    metadata: scale.metadata ?? {},
  } satisfies FieldsOf<PartialObjectMetadata>;
}

const column = (name: string, type: TableColumnDefinition["type"], description: string): TableColumnDefinition => ({
  name,
  type,
  format: "",
  description,
  priority: 0,
});

const DEFINITIONS: readonly TableColumnDefinition[] = [
  column("Name", "string", "The name of the object that is scaled."),
  column("Desired", "integer", "How many pods the object asks for."),
  column("Available", "integer", "How many pods there are."),
  column("Age", "string", "How long ago the object was created."),
];
