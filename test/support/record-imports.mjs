// For `node --import`: writes each import to descriptor 3 as a line of JSON: the importing module, what it names, what is found.
import { writeSync } from "node:fs";
import { registerHooks } from "node:module";

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    writeSync(3, `${JSON.stringify({ from: context.parentURL ?? "", specifier, url: found.url })}\n`);
    return found;
  },
});
