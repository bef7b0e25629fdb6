import {
  duplicate,
  type FieldError,
  invalidValue,
  notFoundValue,
  notSupported,
  required,
} from "../../machinery/errors/field-error.js";
import { absent, number, object, objects, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import { validateAnnotations, validateLabels } from "../../machinery/validation/labels.js";
import {
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  envVarNameErrors,
  portNameErrors,
  rangeErrors,
} from "../../machinery/validation/names.js";
import { validateResources } from "./resources.js";
import { named, nonNegative, oneOf } from "./rules.js";

/** A pod template wherever one stands. `path` is the template's. */
export function validatePodTemplate(template: ReadonlyFields, path: string): FieldError[] {
  return [...validateTemplateMetadata(template, path), ...validatePodSpec(object(template.spec), `${path}.spec`)];
}

export function validateTemplateMetadata(template: ReadonlyFields, path: string): FieldError[] {
  const metadata = object(template.metadata);
  return [
    ...validateLabels(metadata.labels as Record<string, string> | undefined, `${path}.labels`),
    ...validateAnnotations(metadata.annotations as Record<string, string> | undefined, `${path}.annotations`),
  ];
}

export function validatePodSpec(spec: ReadonlyFields, path: string): FieldError[] {
  const volumes = objects(spec.volumes);
  const volumeNames = new Set(volumes.map((volume) => text(volume.name)));
  const init = objects(spec.initContainers);
  const containers = objects(spec.containers);
  const errors = validateVolumes(volumes, `${path}.volumes`);
  if (containers.length === 0) errors.push(required(`${path}.containers`));
  const seen = new Set<string>();
  const check = (list: readonly ReadonlyFields[], at: string) => {
    for (const [index, container] of list.entries()) {
      const here = `${at}[${index}]`;
      errors.push(...validateContainer(container, here, volumeNames));
      const name = text(container.name);
      if (name !== "" && seen.has(name)) errors.push(duplicate(`${here}.name`, name));
      seen.add(name);
    }
  };
  check(containers, `${path}.containers`);
  check(init, `${path}.initContainers`);
  errors.push(
    ...oneOf(spec.restartPolicy, `${path}.restartPolicy`, ["Always", "OnFailure", "Never"]),
    ...oneOf(spec.dnsPolicy, `${path}.dnsPolicy`, ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"]),
  );
  const account = text(spec.serviceAccountName);
  if (account !== "") errors.push(...named(account, `${path}.serviceAccountName`, dns1123SubdomainErrors));
  const node = text(spec.nodeName);
  if (node !== "") errors.push(...named(node, `${path}.nodeName`, dns1123SubdomainErrors));
  const deadline = spec.activeDeadlineSeconds;
  if (!absent(deadline) && (number(deadline) < 1 || number(deadline) > 2 ** 31 - 1)) {
    errors.push(invalidValue(`${path}.activeDeadlineSeconds`, deadline, "must be between 1 and 2147483647, inclusive"));
  }
  return errors;
}

function validateVolumes(volumes: readonly ReadonlyFields[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, volume] of volumes.entries()) {
    const name = text(volume.name);
    const at = `${path}[${index}].name`;
    if (name === "") errors.push(required(at));
    else errors.push(...named(name, at, dns1123LabelErrors));
    if (name !== "" && seen.has(name)) errors.push(duplicate(at, name));
    seen.add(name);
    const sources = Object.keys(volume).filter((field) => field !== "name" && !absent(volume[field]));
    for (const extra of sources.slice(1)) {
      errors.push({
        type: "FieldValueForbidden",
        field: `${path}[${index}].${extra}`,
        detail: "may not specify more than 1 volume type",
      });
    }
    errors.push(...validateVolumeSource(volume, `${path}[${index}]`));
  }
  return errors;
}

const REQUIRED_SOURCE_FIELDS: readonly (readonly [source: string, field: string])[] = [
  ["configMap", "name"],
  ["secret", "secretName"],
  ["persistentVolumeClaim", "claimName"],
  ["hostPath", "path"],
  ["nfs", "server"],
  ["nfs", "path"],
  ["csi", "driver"],
];

function validateVolumeSource(volume: ReadonlyFields, path: string): FieldError[] {
  return REQUIRED_SOURCE_FIELDS.filter(
    ([source, field]) => !absent(volume[source]) && text(object(volume[source])[field]) === "",
  ).map(([source, field]) => required(`${path}.${source}.${field}`));
}

function validateContainer(container: ReadonlyFields, path: string, volumes: ReadonlySet<string>): FieldError[] {
  const [name, image] = [text(container.name), text(container.image)];
  const errors = name === "" ? [required(`${path}.name`)] : named(name, `${path}.name`, dns1123LabelErrors);
  if (image === "") errors.push(required(`${path}.image`));
  else if (image.trim() !== image) {
    errors.push(invalidValue(`${path}.image`, image, "must not have leading or trailing whitespace"));
  }
  errors.push(
    ...oneOf(container.terminationMessagePolicy, `${path}.terminationMessagePolicy`, ["File", "FallbackToLogsOnError"]),
    ...validatePorts(objects(container.ports), `${path}.ports`),
    ...validateEnv(objects(container.env), `${path}.env`),
    ...validateMounts(objects(container.volumeMounts), `${path}.volumeMounts`, volumes),
    ...oneOf(container.imagePullPolicy, `${path}.imagePullPolicy`, ["Always", "IfNotPresent", "Never"]),
    ...validateResources(object(container.resources), `${path}.resources`),
  );
  for (const probe of ["livenessProbe", "readinessProbe", "startupProbe"]) {
    if (!absent(container[probe])) errors.push(...validateProbe(object(container[probe]), `${path}.${probe}`));
  }
  return errors;
}

function validatePorts(ports: readonly ReadonlyFields[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const at = `${path}[${index}]`;
    const name = text(port.name);
    if (name !== "") {
      errors.push(...named(name, `${at}.name`, portNameErrors));
      if (seen.has(name)) errors.push(duplicate(`${at}.name`, name));
      seen.add(name);
    }
    const containerPort = number(port.containerPort);
    if (containerPort === 0) errors.push(required(`${at}.containerPort`));
    else errors.push(...range(containerPort, `${at}.containerPort`));
    if (!absent(port.hostPort) && number(port.hostPort) !== 0)
      errors.push(...range(number(port.hostPort), `${at}.hostPort`));
    errors.push(...oneOf(port.protocol, `${at}.protocol`, ["SCTP", "TCP", "UDP"]));
  }
  return errors;
}

function range(port: number, path: string): FieldError[] {
  return rangeErrors(port, 1, 65535).map((message) => invalidValue(path, port, message));
}

function validateEnv(env: readonly ReadonlyFields[], path: string): FieldError[] {
  return env.flatMap((variable, index) => {
    const at = `${path}[${index}]`;
    const name = text(variable.name);
    const errors = name === "" ? [required(`${at}.name`)] : named(name, `${at}.name`, envVarNameErrors);
    if (absent(variable.valueFrom)) return errors;
    const sources = Object.entries(object(variable.valueFrom)).filter(([, source]) => !absent(source));
    if (text(variable.value) !== "" && sources.length > 0) {
      errors.push(invalidValue(`${at}.valueFrom`, "", "may not be specified when `value` is not empty"));
    } else if (sources.length === 0) {
      const kinds =
        "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";
      errors.push(invalidValue(`${at}.valueFrom`, "", kinds));
    } else if (sources.length > 1) {
      errors.push(invalidValue(`${at}.valueFrom`, "", "may not have more than one field specified at a time"));
    }
    for (const [kind, source] of sources) {
      if ((kind === "configMapKeyRef" || kind === "secretKeyRef") && text(object(source).key) === "") {
        errors.push(required(`${at}.valueFrom.${kind}.key`));
      }
    }
    return errors;
  });
}

function validateMounts(mounts: readonly ReadonlyFields[], path: string, volumes: ReadonlySet<string>): FieldError[] {
  const errors: FieldError[] = [];
  const paths = new Set<string>();
  for (const [index, mount] of mounts.entries()) {
    const at = `${path}[${index}]`;
    const [name, mountPath] = [text(mount.name), text(mount.mountPath)];
    if (name === "") errors.push(required(`${at}.name`));
    else if (!volumes.has(name)) errors.push(notFoundValue(`${at}.name`, name));
    if (mountPath === "") errors.push(required(`${at}.mountPath`));
    if (mountPath !== "" && paths.has(mountPath)) {
      errors.push(invalidValue(`${at}.mountPath`, mountPath, "must be unique"));
    }
    paths.add(mountPath);
  }
  return errors;
}

const HANDLERS = ["exec", "httpGet", "tcpSocket", "grpc"];

function validateProbe(probe: ReadonlyFields, path: string): FieldError[] {
  const handlers = HANDLERS.filter((handler) => !absent(probe[handler]));
  const errors = handlers.slice(1).map(
    (handler): FieldError => ({
      type: "FieldValueForbidden",
      field: `${path}.${handler}`,
      detail: "may not specify more than 1 handler type",
    }),
  );
  if (handlers.length === 0) errors.push(required(path, "must specify a handler type"));
  for (const field of [
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
  ]) {
    errors.push(...nonNegative(probe[field], `${path}.${field}`));
  }
  return errors;
}

/** Templates of workloads that keep pods running may only restart always. */
export function restartAlways(spec: ReadonlyFields, path: string): FieldError[] {
  const policy = spec.restartPolicy;
  return policy === "Always" ? [] : [notSupported(`${path}.restartPolicy`, policy ?? "", ["Always"])];
}
