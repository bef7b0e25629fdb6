import type { Clock } from "../../../base/time/clock.js";
import type { Random } from "../../../base/numbers/random.js";
import type { ContainerSpec } from "../../container-runtime.js";
import type { PodNetwork } from "../../network/pod-network.js";
import { resolvConf, resolverConfig } from "../../network/resolver-config.js";
import type { ScriptedImage } from "../image.js";
import { hostsFile } from "../network/hosts-file.js";
import { USUAL_PROGRAMS } from "../programs/index.js";
import type { FileSpace } from "./file-store.js";
import { FileSystem } from "./file-system.js";
import { addProcFiles } from "./proc-files.js";

/** What the files of containers are made with. */
export interface OwnFilesParts {
  readonly clock: Clock;
  readonly random: Random;
  /** Left out: names are not looked up, and there is no /etc/resolv.conf. */
  readonly network?: PodNetwork;
}

const CHUNK = 64 * 1024;

/** What an image has in its root. */
const FOLDERS =
  `/bin /etc /home /lib /media /mnt /opt /root /run /sbin /srv /tmp /usr/local/bin /usr/sbin /var/log /var/run`.split(
    " ",
  );

/** The container's files without its volumes. */
export function ownFiles(
  spec: ContainerSpec,
  image: ScriptedImage,
  { clock, random, network }: OwnFilesParts,
  space: FileSpace,
): FileSystem {
  const files = new FileSystem({ clock, space, ...(image.capacity !== undefined && { capacity: image.capacity }) });
  for (const folder of FOLDERS) files.makeDirectory(folder, { recursive: true });
  addProcFiles(files, spec);
  files.put("/etc/hostname", `${spec.pod.hostname}\n`);
  files.put("/etc/hosts", hostsFile(spec.pod));
  const { namespace, object: podOf } = spec.pod;
  if (network !== undefined)
    files.put("/etc/resolv.conf", resolvConf(resolverConfig(podOf?.().spec, namespace, network.dnsAddress)));
  files.mount("/dev/null", { read: () => [], write: () => {} });
  files.mount("/dev/zero", { read: () => endless(Buffer.alloc(CHUNK)), write: () => {} });
  files.mount("/dev/urandom", { read: () => endlessBytes(random), write: () => {} });
  if (image.shell !== false) {
    for (const [name, program] of Object.entries(USUAL_PROGRAMS)) {
      if (image.without?.includes(name) !== true) files.install(`/bin/${name}`, program);
    }
    files.symlink("/bin", "/usr/bin");
  }
  for (const [name, program] of Object.entries(image.programs ?? {})) {
    files.install(name.startsWith("/") ? name : `/usr/local/bin/${name}`, program);
  }
  for (const [path, content] of Object.entries(image.files ?? {})) {
    if (typeof content === "string" || content instanceof Uint8Array) files.put(path, content);
    else files.mount(path, content);
  }
  return files;
}

function* endless(chunk: Uint8Array): Generator<Uint8Array, void, undefined> {
  for (;;) yield chunk;
}

function* endlessBytes(random: Random): Generator<Uint8Array, void, undefined> {
  for (;;) yield random.bytes(CHUNK);
}
