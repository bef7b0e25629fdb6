// An API server of one resource of your own, in memory: menus, which hold dishes. It has two versions, a default, a rule,
// columns for kubectl, a status, an admission plugin and a filter.
//
//     node examples/api-server/server.mjs menus.kubeconfig
//     kubectl --kubeconfig menus.kubeconfig get menus
import { writeFileSync } from "node:fs";
import { age, forbidden, int32, invalidValue, list, startServer, string, struct, time } from "kubets/server";

const dish = struct("Dish", {
  name: { schema: string, required: true },
  price: string,
  portions: { schema: int32, default: 10 },
});

/** Dishes are told apart by their names, so that two cooks can apply different dishes to one menu. */
const version = (name, season, conversion) => ({
  version: name,
  schema: struct("Menu", {
    spec: struct("MenuSpec", { [season]: string, dishes: list(dish, { listType: "map", keys: ["name"] }) }),
    status: struct("MenuStatus", { printedAt: time }),
  }),
  subresources: [{ name: "status" }],
  ...(conversion && { conversion }),
});

/** The older version called the season a theme. */
const fromTheme = {
  toHub: ({ spec: { theme, ...spec } = {}, ...menu }) => ({ ...menu, spec: { season: theme, ...spec } }),
  fromHub: ({ spec: { season, ...spec } = {}, ...menu }) => ({ ...menu, spec: { theme: season, ...spec } }),
};

const column = (name, type = "string") => ({
  name,
  type,
  format: "",
  description: `${name} of the menu.`,
  priority: 0,
});

/** What is wrong with a menu. */
const problems = ({ spec = {} }) =>
  (spec.dishes ?? []).flatMap(({ portions }, index) =>
    portions < 1 ? [invalidValue(`spec.dishes[${index}].portions`, portions, "must be greater than 0")] : [],
  );

const menus = {
  group: "cafe.example.com",
  resource: "menus",
  kind: "Menu",
  namespaced: true,
  shortNames: ["mn"],
  categories: ["all"],
  versions: [version("v1", "season"), version("v1beta1", "theme", fromTheme)],
  strategy: {
    hasGeneration: true,
    validate: problems,
    validateUpdate: problems,
    columns: {
      definitions: [column("Name"), column("Season"), column("Dishes", "integer"), column("Age")],
      cells: ({ metadata, spec }, now) => [
        metadata.name,
        spec?.season ?? "",
        spec?.dishes?.length ?? 0,
        age({ metadata }, now),
      ],
    },
  },
};

/** Notes who made a menu, and refuses a dish that the house does not sell. */
const houseRules = {
  name: "HouseRules",
  admit({ operation, object, user }) {
    if (operation !== "CREATE") return;
    object.metadata.annotations = { ...object.metadata.annotations, "cafe.example.com/author": user.name };
  },
  validate({ operation, object, resource }) {
    if (operation === "DELETE") return;
    const banned = object.spec?.dishes?.find(({ name }) => name === "pineapple pizza");
    if (banned) throw forbidden(resource, object.metadata.name, `${banned.name} is not sold here`);
  },
};

/** Warns a client that changes a menu. A filter sees each request, and passes it on or answers it. */
const closingTime = {
  name: "closing-time",
  filter: (next) => (request) => {
    const reads = ["get", "list", "watch"].includes(request.info.verb);
    if (!reads) request.warnings.add("the kitchen closes at 22:00");
    return next(request);
  },
};

const server = await startServer({
  resources: [menus],
  admission: { plugins: [{ plugin: houseRules }] },
  filters: [closingTime],
});
writeFileSync(process.argv[2] ?? "menus.kubeconfig", server.kubeconfig());
process.stdout.write(`menus are served at ${server.url}\n`);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => server.close());
