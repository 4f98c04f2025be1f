// For `node --import`: runs the sources as they are, by resolving a `.js` specifier to the `.ts` file that is there.
import { registerHooks } from "node:module";

registerHooks({
  resolve(specifier, context, next) {
    try {
      return next(specifier, context);
    } catch (error) {
      if (!specifier.endsWith(".js")) throw error;
      return next(`${specifier.slice(0, -".js".length)}.ts`, context);
    }
  },
});
