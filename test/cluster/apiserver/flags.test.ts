import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { droppedSection } from "../../../src/component/apiserver-flags/dropped.js";
import { ownSection } from "../../../src/component/apiserver-flags/own.js";
import { apiserverSections, apiserverSectionsOf } from "../../../src/component/apiserver-flags/sections.js";
import { apiserverComponent } from "../../../src/cluster/apiserver/component.js";
import { optionFaults } from "../../../src/cluster/apiserver/option-faults.js";
import { readApiServerOptions } from "../../../src/cluster/apiserver/options.js";
import { allSections } from "../../../src/component/component.js";
import type { ComponentFlag } from "../../../src/component/component-flag.js";
import { loggingFaults, readLogging } from "../../../src/component/logging/logging-flags.js";
import type { Flags } from "../../../src/component/flags/flag-set.js";
import { FlagTable } from "../../../src/component/flags/flag-table.js";
import { defaultText } from "../../../src/component/flags/flag-value.js";
import { parseFlags } from "../../../src/component/flags/parse-flags.js";

/** The words of pflag's help for types that the declaration has another word for. */
const TYPES: Readonly<Record<string, string>> = {
  bool: "-",
  stringSlice: "strings",
  float64: "float",
  int64: "int",
  level: "Level",
  moduleSpec: "pattern=N,...",
};

interface KnownFlag {
  readonly section: string;
  readonly type: string;
  readonly default: string;
  readonly hidden: boolean;
}

/** The flags of the pinned version, by their names. */
function pinnedFlags(): Record<string, KnownFlag> {
  const text = readFileSync(join(import.meta.dirname, "kube-apiserver-flags.txt"), "utf8");
  const flags: Record<string, KnownFlag> = {};
  let section = "";
  for (const line of text.split("\n")) {
    const [, heading] = /^\[(.*)\]$/.exec(line) ?? [];
    if (heading !== undefined) section = heading;
    else if (line !== "" && !line.startsWith("#")) {
      const [name = "", type = "", ...rest] = line.split(" ");
      const hidden = rest.at(-1) === "hidden";
      flags[name] = { section, type, default: rest.filter((word) => word !== "hidden").join(" "), hidden };
    }
  }
  return flags;
}

const ownNames = new Set<string>([ownSection, droppedSection].flatMap(({ flags }) => flags.map(({ name }) => name)));

const declared: readonly ComponentFlag[] = apiserverSections.flatMap((section) => section.flags);

test("FLG-1, START-8, C-CFG-01: the flags of kubets apiserver are those of kube-apiserver 1.36, with sections, types and defaults", () => {
  const ours: Record<string, KnownFlag> = {};
  for (const { name: section, flags } of allSections(apiserverComponent())) {
    for (const flag of flags.filter(({ name }) => !ownNames.has(name))) {
      const { name, hidden = false } = flag;
      const type = flag.typeName ?? TYPES[flag.type] ?? flag.type;
      const zero = flag.type === "bool" && name === "help" ? "" : defaultText(flag);
      ours[name] = { section, type, default: zero, hidden };
    }
  }
  expect(ours).toEqual(pinnedFlags());
});

test("K37-082: kubets apiserver of 1.37 no longer warns about --enable-logs-handler", () => {
  const [older, newer] = ["1.36", "1.37"].map((version) =>
    apiserverSectionsOf(version)
      .flatMap(({ flags }) => flags)
      .find(({ name }) => name === "enable-logs-handler"),
  );
  expect(older?.deprecated).toBe("Log handler functionality is deprecated");
  expect({ ...newer, deprecated: older?.deprecated }).toEqual(older);
  expect(newer).not.toHaveProperty("deprecated");
});

test("kubets apiserver declares no flag twice", () => {
  const names = declared.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

describe("a flag of kube-apiserver in kubets apiserver", () => {
  /** The names that are read when options are made and checked. */
  function namesRead(): ReadonlySet<string> {
    const read = new Set<string>();
    // Each of these has others read that count beside it alone.
    const { flags } = parseFlags(new FlagTable(declared), [
      "--authentication-token-webhook-config-file=webhook",
      "--authorization-webhook-version=v1",
      "--default-not-ready-toleration-seconds=1",
      "--encryption-provider-config-automatic-reload",
      "--max-object-bytes=1",
      "--oidc-client-id=client",
      "--requestheader-client-ca-file=ca",
    ]);
    const see = (name: string): string => {
      read.add(name);
      return name;
    };
    const watched: Flags = {
      bool: (name) => flags.bool(see(name)),
      number: (name) => flags.number(see(name)),
      duration: (name) => flags.duration(see(name)),
      string: (name) => flags.string(see(name)),
      strings: (name) => flags.strings(see(name)),
      changed: (name) => flags.changed(see(name)),
      has: (name) => flags.has(name),
      order: flags.order,
    };
    loggingFaults(watched, []);
    readLogging(watched);
    optionFaults(watched, "/");
    readApiServerOptions(watched, "/");
    return read;
  }

  test("START-6: is read, or reports why it has no effect, is refused or was dropped", () => {
    const read = namesRead();
    const forgotten = declared.filter(
      (flag) =>
        flag.withoutEffect === undefined &&
        flag.refused === undefined &&
        flag.dropped === undefined &&
        !read.has(flag.name),
    );
    expect(forgotten.map(({ name }) => name)).toEqual([]);
  });

  test("is treated in one way only", () => {
    const several = declared.filter(
      ({ withoutEffect, refused, dropped }) =>
        [withoutEffect, refused, dropped].filter((fate) => fate !== undefined).length > 1,
    );
    expect(several.map(({ name }) => name)).toEqual([]);
  });

  test("has an effect when it is about security", () => {
    const security = new Set([
      "secure serving",
      "auditing",
      "authentication",
      "authorization",
      "admission",
      "API enablement",
    ]);
    const silent = apiserverSections
      .filter(({ name }) => security.has(name))
      .flatMap((section): readonly ComponentFlag[] => section.flags)
      .filter(({ withoutEffect }) => withoutEffect !== undefined)
      .map(({ name }) => name);
    // Node opens every port with SO_REUSEADDR.
    expect(silent).toEqual(["permit-address-sharing"]);
    const refused = declared.filter((flag) => flag.refused !== undefined).map(({ name }) => name);
    expect(refused).toEqual(expect.arrayContaining(["experimental-encryption-provider-config", "basic-auth-file"]));
  });
});
