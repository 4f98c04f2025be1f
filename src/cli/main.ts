#!/usr/bin/env node
/** The `holdfast` command. */
import { runCli } from "./run-cli.js";

/** How long a socket or a timer that was left behind may keep a finished command from ending. */
const LEFT_BEHIND_MS = 1_000;

process.exitCode = await runCli(process.argv.slice(2), process.env);
setTimeout(() => process.exit(), LEFT_BEHIND_MS).unref();
