// Whoever reads one of these in this process ends it.
const FORBIDDEN = ["DATABASE_URL", "CAIRN_MASTER_KEY"];

const end = (name) => {
  console.error(`${String(name)} was read`);
  process.exit(99);
};
const { env } = process;
process.env = new Proxy(env, {
  get: (target, name) => (FORBIDDEN.includes(name) ? end(name) : target[name]),
  getOwnPropertyDescriptor: (target, name) => {
    const found = Reflect.getOwnPropertyDescriptor(target, name);
    // Their names may be listed; a copy of all values may not be made.
    return found !== undefined && FORBIDDEN.includes(name) ? { ...found, value: "hidden" } : found;
  },
});
console.log("the trap is set");
