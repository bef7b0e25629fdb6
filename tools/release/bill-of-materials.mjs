// The software bill of materials, in CycloneDX: npm's own, of what is inside the packages.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { bundledPackages } from "./bundled.mjs";

const runtimes = JSON.parse(readFileSync(new URL("../executable/runtimes.json", import.meta.url), "utf8"));

/**
 * kubets has no dependencies to npm: what it uses is a development dependency that the build puts into dist/. So npm lists
 * every development dependency here, and those stay whose code dist/ holds. The executables have the same code in a runtime,
 * which is added with the hash that the build checks.
 * @param {string} root The project, with a built dist.
 * @param {readonly string[]} targets The executables of the release.
 */
export function billOfMaterials(root, targets) {
  const options = ["--sbom-format=cyclonedx", "--package-lock-only"];
  const bill = JSON.parse(
    execFileSync("npm", ["sbom", ...options], { cwd: root, stdio: ["ignore", "pipe", "ignore"], maxBuffer: 2 ** 26 }),
  );
  const inside = new Set(bundledPackages(root).map(({ name, version }) => `${name}@${version}`));
  const components = bill.components.filter((component) => inside.has(component["bom-ref"])).map(bundled);
  if (components.length !== inside.size) {
    const listed = new Set(components.map((component) => component["bom-ref"]));
    throw new Error(`npm's bill lacks ${[...inside].filter((one) => !listed.has(one)).join(", ")}`);
  }
  const own = bill.metadata.component;
  return {
    ...bill,
    // npm calls the component like the folder of the checkout.
    metadata: { ...bill.metadata, component: { ...own, name: "kubets" } },
    components: [...components, ...targets.map(runtime)],
    dependencies: bill.dependencies
      .filter(({ ref }) => inside.has(ref) || ref === own["bom-ref"])
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => inside.has(one)) })),
  };
}

/** To npm it was for development; here it is a part of the program. */
const bundled = (component) => ({
  ...component,
  properties: component.properties.filter(({ name }) => name !== "cdx:npm:package:development"),
});

function runtime(target) {
  const { package: name, integrity } = runtimes.targets[target];
  const content = Buffer.from(integrity.replace(/^sha512-/, ""), "base64").toString("hex");
  return {
    "bom-ref": `${name}@${runtimes.version}`,
    type: "platform",
    name,
    version: runtimes.version,
    description: `The runtime inside @kubets/${target} and @kubets/native-${target}`,
    scope: "optional",
    purl: `pkg:npm/${name.replace("@", "%40")}@${runtimes.version}`,
    hashes: [{ alg: "SHA-512", content }],
    licenses: [{ license: { id: "MIT" } }],
  };
}
