#!/usr/bin/env node
/** The `holdfast` command. */
import * as nodeModule from "node:module";
import { join } from "node:path";
import { cacheFolder } from "../server/binary-cache.js";

/** How long a socket or a timer that was left behind may keep a finished command from ending. */
const LEFT_BEHIND_MS = 1_000;

// A third less to do at the start; by itself Node would share the folder with every user of the machine. A Node that is too old to
// have it is to hear so in one line.
nodeModule.enableCompileCache?.(process.env.NODE_COMPILE_CACHE ?? join(cacheFolder(process.env), "compiled"));
const { runCli } = await import("./run-cli.js");
process.exitCode = await runCli(process.argv.slice(2), process.env);
setTimeout(() => process.exit(), LEFT_BEHIND_MS).unref();
