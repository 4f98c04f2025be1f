/** `s3://bucket/prefix`, the setting of a store on S3. */
import { UsageError } from "../core/errors/errors.js";

export interface S3Location {
  readonly bucket: string;
  /** Without slashes at its ends; empty for the bucket itself. */
  readonly prefix: string;
  readonly region: string | undefined;
  /** Base URL of another service that speaks S3. */
  readonly endpoint: string | undefined;
  /** Bucket in the path and not in the host name; undefined: yes where there is an endpoint. */
  readonly pathStyle: boolean | undefined;
}

const SCHEME = "s3://";
const OPTIONS: readonly string[] = ["region", "endpoint", "path-style"];
const FORM =
  "s3://BUCKET/PREFIX, and after it ?region=…&endpoint=http://…&path-style=true where the AWS settings do not say them";

export function isS3Url(location: string): boolean {
  return location.toLowerCase().startsWith(SCHEME);
}

/** @throws UsageError for another form. Credentials are never part of it. */
export function parseS3Url(text: string): S3Location {
  const refuse = (reason: string): UsageError =>
    new UsageError(`${withoutSecrets(text)} is no place on S3 (${reason}): write ${FORM}.`);
  if (!isS3Url(text)) throw refuse("it does not begin with s3://");
  const [path = "", query = ""] = text.slice(SCHEME.length).split("?", 2);
  const [bucket = "", ...folders] = path.split("/");
  if (!isBucketName(bucket)) throw refuse("the bucket's name is missing or malformed");
  const options = new URLSearchParams(query);
  const unknown = [...options.keys()].find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) throw refuse(`${unknown} is no option`);
  const endpoint = options.get("endpoint") ?? undefined;
  if (endpoint !== undefined && !/^https?:\/\/[^/@]+(\/|$)/.test(endpoint))
    throw refuse("the endpoint is no http or https address");
  const pathStyle = options.get("path-style");
  if (pathStyle !== null && pathStyle !== "true" && pathStyle !== "false")
    throw refuse("path-style is true or false");
  return {
    bucket,
    prefix: cleanPrefix(folders.join("/"), refuse),
    region: options.get("region") ?? undefined,
    endpoint,
    pathStyle: pathStyle === null ? undefined : pathStyle === "true",
  };
}

/** The prefix without slashes at its ends. @throws `refuse(reason)` for one with empty or dotted parts, or control characters. */
export function cleanPrefix(prefix: string, refuse: (reason: string) => Error): string {
  const clean = prefix.replace(/^\/+|\/+$/g, "");
  const isOdd = clean.split("/").some((part, _, all) => ["", ".", ".."].includes(part) && all.length > 1);
  if (isOdd || clean === "." || clean === ".." || /\p{Cc}/u.test(clean))
    throw refuse("the prefix has empty or dotted parts");
  return clean;
}

/** What S3 allows, and the dots and underscores of older buckets. */
export function isBucketName(name: string): boolean {
  return /^[a-zA-Z0-9][a-zA-Z0-9._-]{1,61}[a-zA-Z0-9]$/.test(name);
}

/** Somebody may have written a key in front of the bucket or behind it: it must not reach a log. */
function withoutSecrets(text: string): string {
  return text.replace(/\?.*$/s, "").replace(/\/\/[^/@]*@/, "//…@");
}
