// Makes a process look like one of a Node that lacks what `holdfast` begins with.
import nodeModule, { syncBuiltinESMExports } from "node:module";

delete nodeModule.enableCompileCache;
syncBuiltinESMExports();
Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } });
