import type { LifecycleHandler, Probe } from "../../types/core/v1.js";
import { type AnyContainer, containersOf, type Control } from "../control.js";
import { containersNamed, distinct, plural, quoted } from "../wording.js";

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
