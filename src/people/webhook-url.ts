/** The URL of a webhook is a credential: whoever has it can post to Zapier, Make or n8n. */
import { type Actor, isAllowed } from '../core/actor.ts'

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

/** Shorter ones are in any text. */
const MIN_PART_LENGTH = 5

/** The same for a text of the receiver: n8n, Express and others name the path that they do not know. */
export function visibleAnswer({ actor }: { actor: Actor | null }, text: string, url: string): string {
  if (!actor || isAllowed(actor, 'editor') || !URL.canParse(url)) return text
  const { pathname, search } = new URL(url)
  const parts = `${pathname}${search}`.split(/[/?&=]/).filter(({ length }) => length >= MIN_PART_LENGTH)
  // The longest first, which may have others in it.
  return parts
    .toSorted((a, b) => b.length - a.length)
    .reduce((masked, part) => masked.replaceAll(part, '...'), text)
}
