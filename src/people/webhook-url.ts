/** A webhook URL is a credential: anyone who has it can post to Zapier, Make or n8n. */
import { type Actor, isAllowed } from '../core/actor.ts'

/** `https://hooks.example.com/...` */
export function maskWebhookUrl(url: string): string {
  if (!URL.canParse(url)) return url === '' ? '' : '...'
  const { origin, pathname, search } = new URL(url)
  return pathname === '/' && search === '' ? `${origin}/` : `${origin}/...`
}

/** Editors and the service itself (no actor) see the URL, because they may send events. */
export function seesWebhookUrls({ actor }: { actor: Actor | null }): boolean {
  return !actor || isAllowed(actor, 'editor')
}

export function visibleWebhookUrl(reader: { actor: Actor | null }, url: string): string {
  return seesWebhookUrls(reader) ? url : maskWebhookUrl(url)
}

/** Shorter parts would match ordinary text. */
const MIN_PART_LENGTH = 5

/** Masks the URL in a receiver's response, because n8n, Express and others repeat unknown paths. */
export function visibleResponse(reader: { actor: Actor | null }, text: string, url: string): string {
  if (seesWebhookUrls(reader) || !URL.canParse(url)) return text
  const { pathname, search } = new URL(url)
  const parts = `${pathname}${search}`.split(/[/?&=]/).filter(({ length }) => length >= MIN_PART_LENGTH)
  // The longest first, because it may contain others.
  return parts
    .toSorted((a, b) => b.length - a.length)
    .reduce((masked, part) => masked.replaceAll(part, '...'), text)
}
