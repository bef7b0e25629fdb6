import {
  duplicate,
  forbiddenField,
  invalidValue,
  notFoundValue,
  notSupported,
  required,
} from "../../../machinery/errors/field-error.js";
import { absent, list, object, objects, type Received, text } from "../../../machinery/meta/received.js";
import type { Container, EphemeralContainer, VolumeMount } from "../../types/core/v1.js";
import { checkOneOf, type Errors } from "../collect.js";
import { repeatedAt } from "../rules.js";
import { checkDescendingPath, hasBacksteps } from "./file-paths.js";
import { mayBeDevice, type Volumes } from "./volumes.js";

/** Validates the volume mounts of a container. Some errors have the path of the list instead of the mount's, as upstream's have. */
export function validateVolumeMounts(
  container: Received<Container | EphemeralContainer>,
  volumes: Volumes,
  path: string,
  errors: Errors,
): void {
  const mounts = objects(container.volumeMounts);
  if (mounts.length === 0) return;
  const devices = new Map<string, string>(
    objects(container.volumeDevices).map(({ name, devicePath }) => [text(name), text(devicePath)]),
  );
  const devicePaths = new Set(devices.values());
  const paths = new Set<string>();
  for (const [index, mount] of mounts.entries()) {
    const at = `${path}[${index}]`;
    const [name, mountPath] = [text(mount.name), text(mount.mountPath)];
    if (name === "") errors.push(required(`${at}.name`));
    if (!volumes.has(name)) errors.push(notFoundValue(`${at}.name`, name));
    if (mountPath === "") errors.push(required(`${at}.mountPath`));
    if (paths.has(mountPath)) errors.push(invalidValue(`${at}.mountPath`, mountPath, "must be unique"));
    paths.add(mountPath);
    if (devices.has(name)) {
      errors.push(invalidValue(`${at}.name`, name, "must not already exist in volumeDevices"));
    }
    if (devicePaths.has(mountPath)) {
      const detail = "must not already exist as a path in volumeDevices";
      errors.push(invalidValue(`${at}.mountPath`, mountPath, detail));
    }
    checkSubPaths(mount, at, path, errors);
    checkPropagation(mount, container, `${path}.mountPropagation`, errors);
    checkRecursiveReadOnly(mount, `${path}.recursiveReadOnly`, errors);
    checkBindOptions(mount, volumes, `${at}.bindMountOptions`, errors);
  }
}

function checkSubPaths(mount: Received<VolumeMount>, at: string, path: string, errors: Errors): void {
  const [subPath, expression] = [text(mount.subPath), text(mount.subPathExpr)];
  if (subPath !== "") checkDescendingPath(subPath, `${path}.subPath`, errors);
  if (expression === "") return;
  if (subPath !== "") {
    const detail = "subPathExpr and subPath are mutually exclusive";
    errors.push(invalidValue(`${at}.subPathExpr`, expression, detail));
  }
  checkDescendingPath(expression, `${path}.subPathExpr`, errors);
}

function checkPropagation(
  mount: Received<VolumeMount>,
  container: Received<Container | EphemeralContainer>,
  path: string,
  errors: Errors,
): void {
  checkOneOf(mount.mountPropagation, path, ["Bidirectional", "HostToContainer", "None"], errors);
  if (mount.mountPropagation === "Bidirectional" && object(container.securityContext).privileged !== true) {
    const detail = "Bidirectional mount propagation is available only to privileged containers";
    errors.push(forbiddenField(path, detail));
  }
}

/** Options of the bind mount, each once, and not of an image (K37-023). */
function checkBindOptions(mount: Received<VolumeMount>, volumes: Volumes, path: string, errors: Errors): void {
  const options = list(mount.bindMountOptions);
  if (options.length === 0) return;
  if (!absent(volumes.get(text(mount.name))?.image)) {
    errors.push(forbiddenField(path, "may not be set for image volumes"));
  }
  const repeated = repeatedAt(options);
  for (const [index, option] of options.entries()) {
    checkOneOf(option, `${path}[${index}]`, ["nodev", "noexec", "nosuid"], errors);
    if (repeated.has(index)) errors.push(duplicate(`${path}[${index}]`, option));
  }
}

function checkRecursiveReadOnly(mount: Received<VolumeMount>, path: string, errors: Errors): void {
  const { recursiveReadOnly: value, mountPropagation: propagation } = mount;
  if (absent(value) || value === "Disabled") return;
  if (value !== "Enabled" && value !== "IfPossible") {
    errors.push(notSupported(path, value, ["Disabled", "Enabled", "IfPossible"]));
    return;
  }
  if (mount.readOnly !== true) errors.push(forbiddenField(path, "may only be specified when readOnly is true"));
  if (!absent(propagation) && propagation !== "None") {
    errors.push(forbiddenField(path, "may only be specified when mountPropagation is None or not specified"));
  }
}

export function validateVolumeDevices(
  container: Received<Container | EphemeralContainer>,
  volumes: Volumes,
  path: string,
  errors: Errors,
): void {
  const devices = objects(container.volumeDevices);
  if (devices.length === 0) return;
  const mounts = new Map<string, string>(
    objects(container.volumeMounts).map(({ name, mountPath }) => [text(name), text(mountPath)]),
  );
  const mountPaths = new Set(mounts.values());
  const [names, paths] = [new Set<string>(), new Set<string>()];
  for (const [index, device] of devices.entries()) {
    const at = `${path}[${index}]`;
    const [name, devicePath] = [text(device.name), text(device.devicePath)];
    const wrongName = (detail: string) => errors.push(invalidValue(`${at}.name`, name, detail));
    const wrongPath = (detail: string) => errors.push(invalidValue(`${at}.devicePath`, devicePath, detail));
    const usable = mayBeDevice(volumes, name);
    if (name === "") errors.push(required(`${at}.name`));
    if (names.has(name)) wrongName("must be unique");
    if (usable === false) {
      wrongName("can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode");
    }
    if (usable === undefined) errors.push(notFoundValue(`${at}.name`, name));
    if (devicePath === "") errors.push(required(`${at}.devicePath`));
    if (paths.has(devicePath)) wrongPath("must be unique");
    if (hasBacksteps(devicePath)) wrongPath("can not contain backsteps ('..')");
    else paths.add(devicePath);
    if (mounts.has(name)) wrongName("must not already exist in volumeMounts");
    if (mountPaths.has(devicePath)) wrongPath("must not already exist as a path in volumeMounts");
    if (name !== "") names.add(name);
  }
}
