import { containersOf, type Control } from "../control.js";
import { containersNamed, distinct, plural } from "../wording.js";

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
