#!/usr/bin/env node
/** The `holdfast` command. */
export {};
