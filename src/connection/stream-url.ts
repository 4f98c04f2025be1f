/** The addresses of the stream hub, for both of its sides. */
import type { StreamAddress } from "./stream-address.js";

export function pushUrl({ url }: StreamAddress, conversationId: string): string {
  return `${url}/conversations/${encodeURIComponent(conversationId)}/frames`;
}

export function readUrl({ url }: StreamAddress, conversationId: string, turnId: string): string {
  return `${url}/conversations/${encodeURIComponent(conversationId)}/turns/${encodeURIComponent(turnId)}/frames`;
}

export function turnsUrl({ url }: StreamAddress, conversationId: string): string {
  return `${url}/conversations/${encodeURIComponent(conversationId)}/turns`;
}

export function bearer({ token }: StreamAddress): string {
  return `Bearer ${token}`;
}
