// The restaurant: pizzas in two versions, and the toppings that they may have. The older version repeats a topping for extra
// cheese; the newer one counts. A pizza without toppings gets the usual three.
//
//     node examples/restaurant/server.mjs --http-port=6080 --storage=files:./restaurant
//     kubectl --server=http://127.0.0.1:6080 get toppings,pizzas
//
// README.md has the flags by which it serves behind a main server.
import {
  float64,
  forbidden,
  int32,
  invalidValue,
  list,
  recommendedOptions,
  serverCommand,
  string,
  struct,
} from "kubets/server";

const GROUP = "restaurant.programming-kubernetes.info";
const USUAL = ["salami", "mozzarella", "tomato"];

const topping = struct("PizzaTopping", {
  name: { schema: string, required: true },
  quantity: { schema: int32, required: true },
});

const pizza = (toppings) =>
  struct("Pizza", {
    spec: struct("PizzaSpec", { toppings: { schema: list(toppings), required: true } }),
    status: { schema: struct("PizzaStatus", { cost: float64 }), omitEmpty: false },
  });

/** Fills in toppings where there are none; `one` makes an entry of a name. */
const usually = (one) => (draft) => {
  draft.spec ??= {};
  if ((draft.spec.toppings ?? []).length === 0) draft.spec.toppings = USUAL.map(one);
};

const pizzas = {
  group: GROUP,
  resource: "pizzas",
  kind: "Pizza",
  namespaced: true,
  strategy: { validate: problems, validateUpdate: problems },
  versions: [
    {
      version: "v1beta1",
      schema: pizza(topping),
      subresources: [{ name: "status" }],
      applyDefaults(draft) {
        usually((name) => ({ name, quantity: 1 }))(draft);
        for (const one of draft.spec.toppings) one.quantity ||= 1;
      },
    },
    {
      version: "v1alpha1",
      schema: pizza(string),
      subresources: [{ name: "status" }],
      applyDefaults: usually((name) => name),
      conversion: { toHub: counted, fromHub: repeated },
    },
  ],
};

/** ["mozzarella", "tomato", "mozzarella"] becomes two of mozzarella and one of tomato. */
function counted({ spec: { toppings = [], ...spec } = {}, ...rest }) {
  const quantities = new Map();
  for (const name of toppings) quantities.set(name, (quantities.get(name) ?? 0) + 1);
  return { ...rest, spec: { ...spec, toppings: [...quantities].map(([name, quantity]) => ({ name, quantity })) } };
}

function repeated({ spec: { toppings = [], ...spec } = {}, ...rest }) {
  return { ...rest, spec: { ...spec, toppings: toppings.flatMap(({ name, quantity }) => Array(quantity).fill(name)) } };
}

/** What is wrong with a pizza. */
function problems({ spec: { toppings } }) {
  return toppings.flatMap(({ name, quantity }, index) => {
    const at = `spec.toppings[${index}]`;
    const isRepeated = toppings.findIndex((one) => one.name === name) < index;
    return [
      ...(quantity <= 0 ? [invalidValue(`${at}.quantity`, quantity, "cannot be negative or zero")] : []),
      ...(name === "" ? [invalidValue(`${at}.name`, name, "cannot be empty")] : []),
      ...(isRepeated ? [invalidValue(`${at}.name`, name, "must be unique")] : []),
    ];
  });
}

const toppings = {
  group: GROUP,
  resource: "toppings",
  kind: "Topping",
  namespaced: false,
  versions: [{ version: "v1alpha1", schema: struct("Topping", { spec: struct("ToppingSpec", { cost: float64 }) }) }],
};

/** Refuses a pizza that has a topping which the restaurant does not have. */
function pizzaToppings() {
  let known;
  return {
    initialize({ loopback }) {
      known = loopback.informers.of(`${GROUP}/v1alpha1`, "Topping");
    },
    plugin: {
      name: "PizzaToppings",
      handles: (operation, { group, resource }) =>
        group === GROUP && resource === "pizzas" && (operation === "CREATE" || operation === "UPDATE"),
      validate({ object, name, resource }) {
        if (!known.hasSynced()) throw forbidden(resource, name, "not yet ready to handle request");
        const unknown = object.spec.toppings.find((one) => !known.cache.has(one.name));
        if (unknown !== undefined) throw forbidden(resource, name, `unknown topping: ${unknown.name}`);
      },
    },
  };
}

// A port without credentials is for a restaurant that stands alone. Behind a main server that server knows who asks, and what they may do.
const standsAlone = process.argv.some((argument) => argument.startsWith("--http-"));

await serverCommand({
  name: "pizza-apiserver",
  description: "Serves pizzas and their toppings.",
  version: "v1.0.0",
  ...(!standsAlone && { recommended: recommendedOptions(`/registry/${GROUP}`) }),
  options: {
    title: { title: "Restaurant", version: "v1.0.0" },
    resources: [pizzas, toppings],
    admission: { plugins: [pizzaToppings()] },
  },
}).main();
