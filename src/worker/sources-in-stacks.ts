/** Stacks of a workflow by its sources, not by lines of the bundle. */
import { SourceMap } from "node:module";

type Formatter = NonNullable<typeof Error.prepareStackTrace>;

const SOURCE_MAP = "//# sourceMappingURL=data:";
const BASE64 = ";base64,";

/**
 * For `Error.prepareStackTrace` in the sandbox, for the process's own stays as it is. The bundle's source map is read when the
 * first stack is asked for: most workers never need it.
 */
export function sourcesInStacks({
  code,
  filename,
}: {
  readonly code: string;
  readonly filename: string;
}): Formatter {
  let map: SourceMap | undefined;
  const originOf = (frame: NodeJS.CallSite): string | undefined => {
    const [line, column] = [frame.getLineNumber(), frame.getColumnNumber()];
    if (frame.getFileName() !== filename || line === null || column === null) return undefined;
    map ??= sourceMapOf(code);
    const { fileName, lineNumber, columnNumber, name } = map.findOrigin(line, column) as Partial<Origin>;
    if (fileName === undefined) return undefined;
    const place = `${fileName}:${lineNumber}:${columnNumber}`;
    const named = name ?? frame.getFunctionName();
    return named === null ? place : `${named} (${place})`;
  };
  return (error, frames) =>
    [`${error}`, ...frames.map((frame) => `    at ${originOf(frame) ?? frame}`)].join("\n");
}

interface Origin {
  readonly fileName: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
  readonly name?: string;
}

/** The bundler writes it behind the code. @throws SyntaxError for a bundle without one. */
function sourceMapOf(code: string): SourceMap {
  const from = code.indexOf(BASE64, code.lastIndexOf(SOURCE_MAP)) + BASE64.length;
  return new SourceMap(JSON.parse(Buffer.from(code.slice(from), "base64").toString("utf8")));
}
