/** The URL of a webhook is a credential: whoever has it can post to Zapier, Make or n8n. */
import { type Actor, isAllowed } from './actor.ts'

/** Host without path and query: `https://hooks.example.com/...`. */
export function maskWebhookUrl(url: string): string {
  if (!URL.canParse(url)) return url === '' ? '' : '...'
  const { origin, pathname, search } = new URL(url)
  return pathname === '/' && search === '' ? `${origin}/` : `${origin}/...`
}

/** Editors, who may send events, see the whole URL. Null as the actor is the service itself. */
export function visibleWebhookUrl({ actor }: { actor: Actor | null }, url: string): string {
  return !actor || isAllowed(actor, 'editor') ? url : maskWebhookUrl(url)
}
