import type { Control, Revision } from "../control.js";

/** The sysctls that are safe, as those that a version adds: what they set is the pod's alone. */
const ADDED: readonly (readonly [since: number, names: readonly string[]])[] = [
  [
    0,
    [
      "kernel.shm_rmid_forced",
      "net.ipv4.ip_local_port_range",
      "net.ipv4.tcp_syncookies",
      "net.ipv4.ping_group_range",
      "net.ipv4.ip_unprivileged_port_start",
    ],
  ],
  [27, ["net.ipv4.ip_local_reserved_ports"]],
  [
    29,
    [
      "net.ipv4.tcp_keepalive_time",
      "net.ipv4.tcp_fin_timeout",
      "net.ipv4.tcp_keepalive_intvl",
      "net.ipv4.tcp_keepalive_probes",
    ],
  ],
  [32, ["net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"]],
  // K37-126
  [37, ["net.ipv4.tcp_slow_start_after_idle", "net.ipv4.tcp_notsent_lowat"]],
];

function revision(since: number): Revision {
  const allowed = new Set(ADDED.filter(([from]) => from <= since).flatMap(([, names]) => names));
  return {
    since,
    check({ spec }) {
      const bad = (spec.securityContext?.sysctls ?? []).filter(({ name }) => !allowed.has(name));
      if (bad.length === 0) return undefined;
      return { reason: "forbidden sysctls", detail: bad.map(({ name }) => name).join(", ") };
    },
  };
}

/** Pods set safe sysctls alone. */
export const sysctls: Control = {
  id: "sysctls",
  level: "baseline",
  revisions: ADDED.map(([since]) => revision(since)),
};
