import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { repositoryRoot } from "../support/source-file.js";

const peers = join(repositoryRoot, "bench/peers");
const load = async (path: string) => import(pathToFileURL(join(repositoryRoot, "bench", path)).href);
const manifest = (name: string) => JSON.parse(readFileSync(join(peers, name, "package.json"), "utf8"));
/** Those that are not ours: they bring packages of their own. */
const others = readdirSync(peers).filter((name) => readdirSync(join(peers, name)).includes("package.json"));

interface Sent {
  readonly messages: readonly { readonly id: string; readonly content: string }[];
}

/** A graph over a thread that a killed process has left like this. What it is invoked with is kept. */
function threadLeftAs(messages: readonly { id: string; content: string }[], next: readonly string[]) {
  const invoked: (Sent | null)[] = [];
  const graph = {
    getState: async () => ({ values: { messages }, next }),
    invoke: async (input: Sent | null) => {
      invoked.push(input);
      return { messages: [{ content: "answered now" }] };
    },
  };
  class StateGraph {
    addNode = () => this;
    addEdge = () => this;
    compile = () => graph;
  }
  class StateSchema {}
  class HumanMessage {
    readonly id: string;
    readonly content: string;
    constructor({ id, content }: { id: string; content: string }) {
      this.id = id;
      this.content = content;
    }
  }
  return { invoked, packages: { langgraph: { StateGraph, StateSchema }, messages: { HumanMessage } } };
}

describe("the systems that Holdfast is measured beside", () => {
  it("BEN-40 describes each, with the page that recommends its form, before its packages are there", async () => {
    expect(others.length).toBeGreaterThan(5);
    for (const name of others) {
      const text = readFileSync(join(peers, name, "peer.mjs"), "utf8");
      const imported = [...text.matchAll(/from "([^"]+)"/g)].map(([, from]) => from ?? "");
      expect([name, imported.filter((from) => !/^(node:|\.)/.test(from))]).toEqual([name, []]);
      const { default: peer } = await load(`peers/${name}/peer.mjs`);
      expect(peer.title.length, name).toBeLessThanOrEqual(32);
      expect(peer.about, name).toMatch(/ as docs\.\S+\/\S+ has it/);
      const { dependencies, overrides } = manifest(name);
      const listed = [...peer.packages, ...(peer.servers ?? [])];
      expect(listed.sort(), name).toEqual(Object.keys({ ...dependencies, ...overrides }).sort());
    }
  });

  it("BEN-41 skips a system on PostgreSQL where there is none, with the remedy", async () => {
    const { missingPostgresql } = await load("suite/postgresql.mjs");
    const empty = mkdtempSync(join(tmpdir(), "holdfast-peers-"));
    expect(await missingPostgresql({ PATH: empty }, empty)).toMatch(/^PostgreSQL is not here: install it/);
    rmSync(empty, { recursive: true });
  });

  it("BEN-42 lets the application look how far a LangGraph thread came before it calls again", async () => {
    const { langgraphSystem } = await load("suite/langgraph-system.mjs");
    const [before, asked] = [
      { id: "a-3", content: "the answer before" },
      { id: "t-4", content: "question" },
    ];
    const again = async (messages: { id: string; content: string }[], next: string[]) => {
      const { invoked, packages } = threadLeftAs(messages, next);
      const answer = await langgraphSystem(packages).again("c", "t-4", "question");
      return { answer, invoked };
    };
    expect(await again([before, asked], ["callModel"])).toEqual({ answer: "answered now", invoked: [null] });
    expect(await again([before], [])).toEqual({ answer: "answered now", invoked: [{ messages: [asked] }] });
    const answered = [before, asked, { id: "a-4", content: "answered before" }];
    expect(await again(answered, [])).toEqual({ answer: "answered before", invoked: [] });
  });

  it("BEN-43 counts the bytes of rows before the database compresses them", async () => {
    const { rowBytes } = await load("suite/row-bytes.mjs");
    const types = { id: "text", body: "bytea", state: "jsonb", at: "bigint" };
    const asked: { sql: string; parameters: string[] }[] = [];
    const pool = {
      async query(sql: string, parameters: string[]) {
        asked.push({ sql, parameters });
        const columns = Object.entries(types).map(([column_name, data_type]) => ({ column_name, data_type }));
        return { rows: asked.length === 1 ? columns : [{ bytes: "42" }] };
      },
    };
    expect(await rowBytes(pool, "public.rows", "id = $1", "c")).toBe(42);
    expect(asked[0]?.parameters).toEqual(["public", "rows"]);
    expect(asked[1]?.parameters).toEqual(["c"]);
    expect(asked[1]?.sql).toContain(
      'coalesce(octet_length("id"), 0) + coalesce(octet_length("body"), 0) + coalesce(octet_length("state"::text), 0) + coalesce(pg_column_size("at"), 0)',
    );
  });

  it("BEN-44 measures a system whose conversations end within what they bear", async () => {
    const { turns } = await load("suite/measures/turns.mjs");
    const { Bench } = await load("suite/bench.mjs");
    const system = (name: string, longest?: number) => {
      const counts = new Map<string, number>();
      const grow = (conversation: string, by: number) =>
        counts.set(conversation, (counts.get(conversation) ?? 0) + by);
      return {
        name,
        counts,
        peer: longest === undefined ? {} : { longest: { turns: longest, reason: "full" } },
        open: async () => undefined,
        turnsOf: (conversation: string) => counts.get(conversation) ?? 0,
        seedTo: async (conversation: string, to: number) => counts.set(conversation, to),
        async turns(conversation: string, count: number) {
          grow(conversation, count);
          return Array.from({ length: count }, (_, index) => [index, index + 1]);
        },
        ask: async () => ({ bytes: 1 }),
      };
    };
    const [bare, short] = [system("bare"), system("short", 29)];
    const bench = new Bench({
      systems: [],
      options: { lengths: [4, 20], rounds: 3, window: 2, warmUp: 1, seedSeconds: 1 },
      say() {},
      provider: { seen: [], forget() {}, stop() {} },
    });
    bench.live = async () => [bare, short];
    await turns(bench);
    await bench.stop();
    expect([bare.counts.get("long"), short.counts.get("long")]).toEqual([32, 28]);
    const { 20: figures, error } = bench.results.turns.short;
    expect([figures.turn.n, error]).toEqual([4, undefined]);
  });
});
