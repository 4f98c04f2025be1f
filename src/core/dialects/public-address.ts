/** Addresses that any provider can read, told from those that only look like it. */

/** Where providers keep the files of their own customers. */
const FILE_STORES: readonly RegExp[] = [
  /^(?:[\w-]+-)?generativelanguage\.googleapis\.com$/,
  /^(?:[\w-]+-)?aiplatform\.googleapis\.com$/,
  /^api\.openai\.com$/,
  /^api\.anthropic\.com$/,
  /^api\.fireworks\.ai$/,
];

/** True for http(s) addresses outside the providers' own file stores, which need their owner's key. */
export function isPublicAddress(url: string): boolean {
  const host = /^https?:\/\/(?:[^/?#@]*@)?([^/?#:]+)/i.exec(url)?.[1]?.toLowerCase();
  return host !== undefined && !FILE_STORES.some((store) => store.test(host));
}
