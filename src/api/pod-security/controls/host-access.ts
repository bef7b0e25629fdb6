import {
  type Control,
  containersOf,
  type AnyContainer,
  plural,
  quoted,
  containersNamed,
  distinct,
  setters,
} from "../control.js";
import { absent } from "../../../machinery/meta/access.js";
import type { LifecycleHandler, Probe, WindowsSecurityContextOptions } from "../../types/core/v1.js";

/** No part of the node's network, processes and memory is shared. */
export const hostNamespaces: Control = {
  id: "hostNamespaces",
  level: "baseline",
  revisions: [
    {
      since: 0,
      check({ spec }) {
        const shared = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((field) => spec[field] === true);
        if (shared.length === 0) return undefined;
        return { reason: "host namespaces", detail: shared.map((field) => `${field}=true`).join(", ") };
      },
    },
  ],
};

/** No volume is a folder of the node. */
export const hostPathVolumes: Control = {
  id: "hostPathVolumes",
  level: "baseline",
  revisions: [
    {
      since: 0,
      check({ spec }) {
        const bad = (spec.volumes ?? []).filter(({ hostPath }) => !absent(hostPath)).map(({ name }) => name);
        if (bad.length === 0) return undefined;
        return { reason: "hostPath volumes", detail: `${plural("volume", "volumes", bad.length)} ${quoted(bad)}` };
      },
    },
  ],
};

/** No container takes a port of the node. */
export const hostPorts: Control = {
  id: "hostPorts",
  level: "baseline",
  revisions: [
    {
      since: 0,
      check(pod) {
        const using = containersOf(pod).flatMap(({ name, ports }) => {
          const taken = (ports ?? []).map(({ hostPort }) => hostPort ?? 0).filter((port) => port !== 0);
          return taken.length === 0 ? [] : [{ name, taken }];
        });
        if (using.length === 0) return undefined;
        const ports = distinct(using.flatMap(({ taken }) => taken.map(String)));
        const containers = containersNamed(using.map(({ name }) => name));
        const words = `${plural("uses", "use", using.length)} ${plural("hostPort", "hostPorts", ports.length)}`;
        return { reason: "hostPort", detail: `${containers} ${words} ${ports.join(", ")}` };
      },
    },
  ],
};

const hostsOf = (handler: Probe | LifecycleHandler | undefined): readonly string[] =>
  [handler?.httpGet?.host ?? "", handler?.tcpSocket?.host ?? ""].filter((host) => host !== "");

/** The hosts that the kubelet would ask for a container's sake. */
const askedHosts = ({ livenessProbe, readinessProbe, startupProbe, lifecycle }: AnyContainer): readonly string[] =>
  [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop].flatMap(hostsOf);

/** Probes and lifecycle handlers ask the pod itself and no other host. */
export const hostProbesAndHostLifecycle: Control = {
  id: "hostProbesAndHostLifecycle",
  level: "baseline",
  revisions: [
    {
      since: 34,
      check(pod) {
        const bad = containersOf(pod).flatMap((container) => {
          const hosts = askedHosts(container);
          return hosts.length === 0 ? [] : [{ name: container.name, hosts }];
        });
        if (bad.length === 0) return undefined;
        const names = distinct(bad.map(({ name }) => name));
        const hosts = distinct(bad.flatMap((one) => one.hosts));
        const words = [
          plural("uses", "use", names.length),
          plural("probe or lifecycle host", "probe or lifecycle hosts", hosts.length),
        ];
        return {
          reason: "probe or lifecycle host",
          detail: `${containersNamed(names)} ${words.join(" ")} ${quoted(hosts)}`,
        };
      },
    },
  ],
};

const isHostProcess = (options: WindowsSecurityContextOptions | undefined): boolean => options?.hostProcess === true;

/** No container is a process of a Windows node. */
export const windowsHostProcess: Control = {
  id: "windowsHostProcess",
  level: "baseline",
  revisions: [
    {
      since: 0,
      check(pod) {
        const bad = containersOf(pod).filter(({ securityContext }) => isHostProcess(securityContext?.windowsOptions));
        const who = setters(
          isHostProcess(pod.spec.securityContext?.windowsOptions),
          bad.map(({ name }) => name),
        );
        if (who === "") return undefined;
        return { reason: "hostProcess", detail: `${who} must not set securityContext.windowsOptions.hostProcess=true` };
      },
    },
  ],
};
