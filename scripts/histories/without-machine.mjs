// A history as it is stored: without what names the machine, the process or the checkout it was recorded on.

/** None of these is read by a replay. */
const REPLACED = {
  identity: (value) =>
    value.includes("client") ? "client" : value.includes("holdfast") ? "worker" : "server",
  stackTrace: () => "",
};

export function withoutMachine(value) {
  if (Array.isArray(value)) return value.map(withoutMachine);
  if (typeof value !== "object" || value === null) return value;
  if (value.kind === "TASK_QUEUE_KIND_STICKY") return { ...value, name: "sticky" };
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      typeof member === "string" && key in REPLACED ? REPLACED[key](member) : withoutMachine(member),
    ]),
  );
}
