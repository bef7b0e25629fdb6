import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { DeleteOptions } from "../../../api/types/meta/v1.js";
import type { ApiObject } from "../../../machinery/meta/object.js";
import { type FieldError, invalidValue, notSupported } from "../../../machinery/errors/field-error.js";
import { badRequest, invalid } from "../../../machinery/errors/status-error.js";
import { formatGroupVersion, type GroupVersionKind } from "../../../machinery/meta/gvk.js";
import type { StructSchema } from "../../../machinery/schema/schema.js";
import type { ApiRequest } from "../../request/api-request.js";
import { isTrue } from "../../request/request-info.js";
import type { ValidDeleteOptions } from "../../registry/resource.js";
import { DELETE_OPTIONS, metaSchema } from "../meta-kinds.js";
import { decodeBody } from "../negotiation/decode-body.js";
import { step } from "../../../machinery/tracing/request-span.js";
import { readObjectBody } from "../negotiation/request-body.js";
import { integer } from "./list-options.js";
import { dryRunProblems } from "./write-options.js";

/** As on the wire (meta.k8s.io/v1 DeleteOptions). */
interface WireOptions {
  readonly gracePeriodSeconds?: number | bigint;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: string;
  readonly dryRun?: readonly string[];
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
}

export interface DeleteRequestOptions extends ValidDeleteOptions {
  readonly dryRun: boolean;
  /** The deprecated form of the propagation policy; it also decides between 200 and 202. */
  readonly orphanDependents: boolean | undefined;
}

const POLICIES = ["Foreground", "Background", "Orphan"] as const;

/** Reads DeleteOptions from the body, or from the query when there is no body. Throws 400 or 422. */
export async function deleteOptions(request: ApiRequest): Promise<DeleteRequestOptions> {
  return checkedDeleteOptions((await fromBody(request)) ?? fromQuery(request.exchange.query));
}

/** Checks decoded DeleteOptions. Throws 422. */
export function checkedDeleteOptions(wire: WireOptions): DeleteRequestOptions {
  const errors = problems(wire);
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", errors);
  return {
    gracePeriodSeconds: wire.gracePeriodSeconds === undefined ? undefined : Number(wire.gracePeriodSeconds),
    preconditions: wire.preconditions,
    propagationPolicy: wire.propagationPolicy as ValidDeleteOptions["propagationPolicy"],
    dryRun: (wire.dryRun ?? []).includes("All"),
    orphanDependents: wire.orphanDependents,
    ignoresReadErrors: wire.ignoreStoreReadErrorWithClusterBreakingPotential,
  };
}

async function fromBody(request: ApiRequest): Promise<WireOptions | undefined> {
  const body = await readObjectBody(request);
  if (body.bytes.length === 0) return undefined;
  const { object, kind } = await decodeBody(body, {
    expected: DELETE_OPTIONS,
    mode: "Ignore",
    schemaOf: optionsSchema,
    accepts: () => true,
  });
  request.audit?.decoded(
    statesVersion(body.bytes) ? object : ({ ...object, apiVersion: META_VERSION } satisfies FieldsOf<ApiObject>),
    optionsSchema(kind),
  );
  step("Decoded delete options");
  return object as WireOptions;
}

/** Clients may send the options of any group and version; they are the same everywhere. */
function optionsSchema(gvk: GroupVersionKind): StructSchema {
  if (gvk.kind === DELETE_OPTIONS.kind) return metaSchema(DELETE_OPTIONS);
  const version = formatGroupVersion(gvk);
  throw badRequest(`no kind "${gvk.kind}" is registered for version "${version}" in scheme "${META_SCHEME}"`);
}

/** The version of options that do not say theirs. */
const META_VERSION = "meta.k8s.io/v1";

/** Whether options name their version, by the bytes of JSON, YAML or protobuf. */
function statesVersion(bytes: Uint8Array): boolean {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return body.includes("apiVersion") || body.subarray(0, 3).toString() === "k8s";
}

const META_SCHEME = "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27";

const UNSAFE = "ignoreStoreReadErrorWithClusterBreakingPotential";

function fromQuery(query: URLSearchParams): WireOptions {
  const grace = integer(query, "gracePeriodSeconds");
  const policy = query.get("propagationPolicy");
  return {
    ...(grace !== undefined && ({ gracePeriodSeconds: grace } satisfies FieldsOf<DeleteOptions>)),
    ...(query.has("orphanDependents") &&
      ({ orphanDependents: isTrue(query.get("orphanDependents")) } satisfies FieldsOf<DeleteOptions>)),
    ...(policy !== null && ({ propagationPolicy: policy } satisfies FieldsOf<DeleteOptions>)),
    dryRun: query.getAll("dryRun"),
    ...(query.has(UNSAFE) && { [UNSAFE]: isTrue(query.get(UNSAFE)) }),
  };
}

function problems({ orphanDependents, propagationPolicy, dryRun }: WireOptions): FieldError[] {
  const errors: FieldError[] = [];
  if (orphanDependents !== undefined && propagationPolicy !== undefined) {
    const detail = "orphanDependents and deletionPropagation cannot be both set";
    errors.push(invalidValue("propagationPolicy", propagationPolicy, detail));
  }
  if (propagationPolicy !== undefined && !POLICIES.some((policy) => policy === propagationPolicy)) {
    errors.push(notSupported("propagationPolicy", propagationPolicy, [...POLICIES, "nil"]));
  }
  return [...errors, ...dryRunProblems(dryRun ?? [])];
}
