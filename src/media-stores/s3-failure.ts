/** What S3 and the way to it answer, in one line with the remedy. */
import { MediaStoreUnavailableError } from "./media-store-unavailable-error.js";

interface S3Failure {
  readonly name?: string;
  readonly code?: string;
  readonly message?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/** Codes and names of what is wrong, as the service, the SDK or Node give them, each with the end of the sentence. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^NoSuchBucket$/, "there is no such bucket. Create it, or correct the bucket's name and the region"],
  [
    /^CredentialsProviderError$|Could not load credentials/,
    "no AWS credentials were found. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
  ],
  [
    /^(InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken|InvalidToken|TokenRefreshRequired)$/,
    "the AWS credentials are wrong or have expired. Correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
  ],
  [/Region is missing/, "no region is known. Set AWS_REGION, or write ?region=… behind the location"],
  [
    /^(PermanentRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraintException)$/,
    "the bucket lies in another region. Correct AWS_REGION",
  ],
  [/^RequestTimeTooSkewed$/, "this machine's clock is wrong. Correct it"],
  [/^QuotaExceeded|^EntityTooLarge$/, "the service takes no blob of this size. Attach a smaller file"],
  [
    /^(SlowDown|TooManyRequests|ServiceUnavailable|InternalError)$/,
    "the service is overloaded. Try again later",
  ],
  [
    /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ECONNRESET|EPIPE|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|TimeoutError|NetworkingError)$/,
    "the service does not answer. Check the network and the endpoint (AWS_ENDPOINT_URL)",
  ],
];

const ACCESS_DENIED =
  "access denied. Allow these credentials s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket there, or correct them";
const UPLOADS_DENIED =
  "access denied. Allow these credentials s3:ListBucketMultipartUploads, s3:ListMultipartUploadParts and s3:AbortMultipartUpload there, or let a rule of the bucket end such uploads";

/** @returns the error to throw; `doing` is what was tried, such as `read x.pdf`. */
export function s3Unavailable(location: string, doing: string, error: unknown): MediaStoreUnavailableError {
  return new MediaStoreUnavailableError(
    location,
    `Cannot ${doing} at ${location}: ${reasonOf(error, doing)}.`,
    {
      cause: error,
    },
  );
}

/** Nothing has moved for that long. */
export function s3TimedOut(
  location: string,
  doing: string,
  milliseconds: number,
): MediaStoreUnavailableError {
  return new MediaStoreUnavailableError(
    location,
    `Cannot ${doing} at ${location}: nothing has come for ${milliseconds / 1000} s. Check the network and the endpoint, or try again later.`,
  );
}

/** True for the answer that there is no such object. A missing bucket is another matter, where the service tells it. */
export function isMissing(error: unknown): boolean {
  const { name, $metadata } = error as S3Failure;
  return (
    name === "NoSuchKey" ||
    name === "NotFound" ||
    ($metadata?.httpStatusCode === 404 && name !== "NoSuchBucket")
  );
}

/** True where the service does not let us look: it may still let us write. */
export function isDenied(error: unknown): boolean {
  return (error as S3Failure).$metadata?.httpStatusCode === 403;
}

/** True for a call that this service, S3 only in part, does not have. */
export function isNotOffered(error: unknown): boolean {
  const { name, $metadata } = error as S3Failure;
  return name === "NotImplemented" || name === "MethodNotAllowed" || $metadata?.httpStatusCode === 501;
}

function reasonOf(error: unknown, doing: string): string {
  const { name, code, message = String(error), $metadata } = error as S3Failure;
  const told = REASONS.find(([pattern]) => [name, code, message].some((text) => pattern.test(text ?? "")));
  if (told !== undefined) return told[1];
  if (isDenied(error)) return /\bupload/.test(doing) ? UPLOADS_DENIED : ACCESS_DENIED;
  const status = $metadata?.httpStatusCode;
  if (status === 429 || (status !== undefined && status >= 500))
    return "the service is overloaded. Try again later";
  const line = message.replace(/\s+/g, " ").slice(0, 200).replace(/\.$/, "");
  return status === undefined ? line : `${line} (HTTP ${status})`;
}
