import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { patientFetch } from "../../src/providers/patient-fetch.js";

interface Dispatcher {
  dispatch(options: object, handler: unknown): boolean;
}
const GLOBAL_DISPATCHER = Symbol.for("undici.globalDispatcher.1");
const globals = globalThis as unknown as Record<symbol, Dispatcher>;

it("PRV-66 calls without a time limit of its own, through the dispatcher that is set", async () => {
  const server = createServer((_request, response) => response.end("hello"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await (await fetch(url)).text();
  const real = globals[GLOBAL_DISPATCHER] as Dispatcher;
  const seen: object[] = [];
  try {
    globals[GLOBAL_DISPATCHER] = {
      dispatch: (options, handler) => {
        seen.push(options);
        return real.dispatch(options, handler);
      },
    };
    expect(await (await patientFetch(url)).text()).toBe("hello");
    expect(seen).toEqual([expect.objectContaining({ headersTimeout: 0, bodyTimeout: 0 })]);
  } finally {
    globals[GLOBAL_DISPATCHER] = real;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
