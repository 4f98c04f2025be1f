/** Which types of files which provider takes. */
import { bareMimeType } from "../media/mime.js";
import { usualMimeType } from "../media/usual-mime-type.js";
import { PROVIDER_NAMES, type ProviderName } from "../providers.js";
import { dialectFor } from "./index.js";

/** Types that an endpoint takes beyond those of its dialect, by provider: its operator's word. */
export type EndpointAttachments = Readonly<Partial<Record<ProviderName, readonly string[]>>>;

/** Who is to be sent media. */
export interface AttachmentReader {
  readonly provider: ProviderName;
  readonly endpoints?: EndpointAttachments | undefined;
}

/** The types that a message to the provider may carry. A trailing `/*` stands for a whole family. */
export function attachmentTypes(
  provider: ProviderName,
  endpoints: EndpointAttachments = {},
): readonly string[] {
  return [...dialectFor(provider).capabilities.attachments, ...(endpoints[provider] ?? [])];
}

export function takesAttachment(
  provider: ProviderName,
  mimeType: string,
  endpoints: EndpointAttachments = {},
): boolean {
  return isAmong(mimeType, attachmentTypes(provider, endpoints));
}

function isAmong(mimeType: string, types: readonly string[]): boolean {
  const type = bareMimeType(usualMimeType(mimeType));
  return types.includes(type) || types.includes(`${type.split("/")[0]}/*`);
}

/** Whether a request may hold an image, a sound or a video of that type, though none can be attached anew. */
export function carriesInHistory(provider: ProviderName, mimeType: string): boolean {
  return isAmong(mimeType, dialectFor(provider).capabilities.alsoInHistory ?? []);
}

/** For a refusal: who takes that type. */
export function providersTaking(
  mimeType: string,
  endpoints: EndpointAttachments = {},
): readonly ProviderName[] {
  return PROVIDER_NAMES.filter((provider) => takesAttachment(provider, mimeType, endpoints));
}
