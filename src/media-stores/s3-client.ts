/** The AWS client that a location and the AWS settings of the environment describe. */
import type { S3Client } from "@aws-sdk/client-s3";
import type { S3Location } from "./s3-location.js";
import { loadS3Sdk } from "./s3-sdk.js";

const CONNECT_MS = 5_000;
const ATTEMPTS = 3;

/** Credentials, region and endpoint that the location does not give are found as the AWS SDK finds them. */
export async function createS3Client(location: S3Location): Promise<S3Client> {
  const { S3Client } = await loadS3Sdk();
  const { endpoint } = location;
  const { env } = process;
  const isElsewhere = (endpoint ?? env.AWS_ENDPOINT_URL_S3 ?? env.AWS_ENDPOINT_URL) !== undefined;
  const knowsRegion = env.AWS_REGION !== undefined || env.AWS_PROFILE !== undefined;
  // Services beside AWS know no regions, but every signature names one.
  const region = location.region ?? (isElsewhere && !knowsRegion ? "us-east-1" : undefined);
  return new S3Client({
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint }),
    forcePathStyle: location.pathStyle ?? isElsewhere,
    // Checksums of AWS's own that many other services refuse; the digest of every blob is checked anyway.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    maxAttempts: ATTEMPTS,
    requestHandler: { connectionTimeout: CONNECT_MS },
  });
}
