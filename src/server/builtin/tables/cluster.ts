import { humanDuration } from "../../../machinery/duration/human-duration.js";
import { list, number, object, objects, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import type { TableColumns } from "../../registry/table-columns.js";
import { age, conditionStatus, name } from "./cells.js";
import { columns } from "./columns.js";

export const roleBindingColumns = columns(
  ["Name", "Role", "Age", "Users:string:1", "Groups:string:1", "ServiceAccounts:string:1"],
  (binding, now) => {
    const role = object(binding.roleRef);
    const subjects = objects(binding.subjects);
    const namesOf = (kind: string) => subjects.filter((subject) => subject.kind === kind);
    return [
      name(binding),
      `${text(role.kind)}/${text(role.name)}`,
      age(binding, now),
      namesOf("User")
        .map((subject) => text(subject.name))
        .join(", "),
      namesOf("Group")
        .map((subject) => text(subject.name))
        .join(", "),
      namesOf("ServiceAccount")
        .map((subject) => `${text(subject.namespace)}/${text(subject.name)}`)
        .join(", "),
    ];
  },
);

export const certificateSigningRequestColumns = columns(
  ["Name", "Age", "SignerName", "Requestor", "RequestedDuration", "Condition"],
  (request, now) => {
    const spec = object(request.spec);
    return [
      name(request),
      age(request, now),
      text(spec.signerName) || "<none>",
      text(spec.username),
      spec.expirationSeconds === undefined ? "<none>" : humanDuration(number(spec.expirationSeconds) * 1000),
      requestCondition(object(request.status)),
    ];
  },
);

export const leaseColumns = columns(["Name", "Holder", "Age"], (lease, now) => [
  name(lease),
  text(object(lease.spec).holderIdentity),
  age(lease, now),
]);

export const priorityClassColumns = columns(
  ["Name", "Value:integer", "Global-Default:boolean", "Age", "PreemptionPolicy"],
  (priority, now) => [
    name(priority),
    number(priority.value),
    priority.globalDefault === true,
    age(priority, now),
    text(priority.preemptionPolicy),
  ],
);

export const runtimeClassColumns = columns(["Name", "Handler", "Age"], (runtime, now) => [
  name(runtime),
  text(runtime.handler),
  age(runtime, now),
]);

export const podDisruptionBudgetColumns = columns(
  ["Name", "Min Available", "Max Unavailable", "Allowed Disruptions:integer", "Age"],
  (budget, now) => {
    const spec = object(budget.spec);
    return [
      name(budget),
      intOrStringCell(spec.minAvailable),
      intOrStringCell(spec.maxUnavailable),
      number(object(budget.status).disruptionsAllowed),
      age(budget, now),
    ];
  },
);

export const flowSchemaColumns = columns(
  ["Name", "PriorityLevel", "MatchingPrecedence", "DistinguisherMethod", "Age", "MissingPL"],
  (schema, now) => {
    const spec = object(schema.spec);
    return [
      name(schema),
      text(object(spec.priorityLevelConfiguration).name),
      number(spec.matchingPrecedence),
      text(object(spec.distinguisherMethod).type) || "<none>",
      age(schema, now),
      conditionStatus(object(schema.status).conditions, "Dangling") ?? "?",
    ];
  },
);

export const priorityLevelConfigurationColumns = columns(
  ["Name", "Type", "NominalConcurrencyShares", "Queues", "HandSize", "QueueLengthLimit", "Age"],
  (level, now) => {
    const spec = object(level.spec);
    const limited = object(spec.limited);
    const queuing = object(limited.limitResponse).queuing;
    const queue = (field: string) => (queuing === undefined ? "<none>" : number(object(queuing)[field]));
    return [
      name(level),
      text(spec.type),
      spec.limited === undefined ? "<none>" : number(limited.nominalConcurrencyShares),
      queue("queues"),
      queue("handSize"),
      queue("queueLengthLimit"),
      age(level, now),
    ];
  },
);

/** Mutating and validating admission policies: how many of what they hold. */
export function admissionPolicyColumns(title: "Mutations" | "Validations"): TableColumns {
  return columns(["Name", `${title}:integer`, "ParamKind", "Age"], (policy, now) => {
    const spec = object(policy.spec);
    const param = spec.paramKind;
    return [
      name(policy),
      list(spec[title.toLowerCase()]).length,
      param === undefined ? "<unset>" : `${text(object(param).apiVersion)}/${text(object(param).kind)}`,
      age(policy, now),
    ];
  });
}

export const admissionPolicyBindingColumns = columns(["Name", "PolicyName", "ParamRef", "Age"], (binding, now) => {
  const spec = object(binding.spec);
  return [name(binding), text(spec.policyName), paramRefCell(spec.paramRef), age(binding, now)];
});

export const apiServiceColumns = columns(["Name", "Service", "Available", "Age"], (apiService, now) => {
  const service = object(apiService.spec).service;
  return [
    name(apiService),
    service === undefined || service === null
      ? "Local"
      : `${text(object(service).namespace)}/${text(object(service).name)}`,
    availableCell(object(apiService.status)),
    age(apiService, now),
  ];
});

export const resourceClaimColumns = columns(["Name", "State", "Age"], (claim, now) => {
  const status = object(claim.status);
  const deleted = claim.metadata?.deletionTimestamp !== undefined;
  const states = deleted ? ["deleted"] : [];
  if (status.allocation !== undefined) {
    states.push("allocated", ...(list(status.reservedFor).length > 0 ? ["reserved"] : []));
  } else if (!deleted) states.push("pending");
  return [name(claim), states.join(","), age(claim, now)];
});

export const resourceSliceColumns = columns(["Name", "Node", "Driver", "Pool", "Age"], (slice, now) => {
  const spec = object(slice.spec);
  return [name(slice), text(spec.nodeName), text(spec.driver), text(object(spec.pool).name), age(slice, now)];
});

function requestCondition(status: ReadonlyFields): string {
  const types = new Set(objects(status.conditions).map((condition) => condition.type));
  const decision = types.has("Denied") ? "Denied" : types.has("Approved") ? "Approved" : "Pending";
  const failed = types.has("Failed") ? ",Failed" : "";
  return `${decision}${failed}${text(status.certificate) === "" ? "" : ",Issued"}`;
}

function intOrStringCell(value: unknown): string {
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? value : "N/A";
}

function paramRefCell(ref: unknown): string {
  if (ref === undefined || ref === null) return "<unset>";
  const { namespace, name: target } = object(ref);
  return text(namespace) === "" ? text(target) : `${text(namespace)}/${text(target)}`;
}

function availableCell(status: ReadonlyFields): string {
  const condition = objects(status.conditions).find((candidate) => candidate.type === "Available");
  if (condition === undefined) return "Unknown";
  if (condition.status === "True") return "True";
  return `${text(condition.status)} (${text(condition.reason)})`;
}
