/** A site's webhook at the scripted receiver, and the state of its events. */

import { inject } from 'vitest'
import { IN_TIME } from './in-time.ts'
import type { Received } from './receiver.ts'
import type { TestSite } from './site.ts'

export type Delivery = {
  id: string
  eventId: string
  event: string
  postId: string | null
  slug: string | null
  url: string
  status: number | null
  error: string | null
  durationMs: number | null
  arrivedLater: boolean
  manual: boolean
  attemptedAt: string
}

/** Points the site's webhook at the receiver, which responds as `script` says (see receiver.ts). */
export async function setWebhook(site: TestSite, script: string): Promise<string> {
  const url = `${inject('receiver')}/${site.id}/${script}`
  const { secret } = await site.manage('PUT', '/webhook', { url })
  return secret!
}

type Endpoint = { id: string; url: string; events: string[]; secret: string; secretRotatedAt: string }

/** Adds a webhook at the receiver, which gets these events and `article.ready`. */
export function addWebhook(site: TestSite, script: string, events: string[] = []): Promise<Endpoint> {
  return site.manage('POST', '/webhooks', { url: `${inject('receiver')}/${site.id}/${script}`, events })
}

/** The events of the site's first webhook in addition to `article.ready`. */
export async function switchOn(site: TestSite, events: string[]): Promise<void> {
  const { url } = await site.manage('GET', '/webhook')
  await site.manage('PUT', '/webhook', { url, events })
}

export async function received(site: TestSite): Promise<Received[]> {
  const response = await fetch(`${inject('receiver')}/${site.id}`)
  return response.json<Received[]>()
}

/** Makes the receiver answer the requests it holds. */
export async function release(site: TestSite): Promise<void> {
  await fetch(`${inject('receiver')}/${site.id}/release`)
}

export async function deliveries(site: TestSite): Promise<Delivery[]> {
  return (await site.manage('GET', '/deliveries')).items
}

/** Waits until `read` returns something other than null or undefined. */
export async function eventually<Seen>(
  read: () => Promise<Seen | null | undefined>,
  timeoutMs = IN_TIME.timeout,
): Promise<Seen> {
  for (const end = Date.now() + timeoutMs; ; ) {
    const seen = await read()
    if (seen !== null && seen !== undefined) return seen
    if (Date.now() > end) throw new Error(`Nothing seen within ${timeoutMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** The newest delivery, once it has an outcome. */
export function finished(site: TestSite): Promise<Delivery> {
  return eventually(async () =>
    (await deliveries(site)).find((delivery) => delivery.status ?? delivery.error),
  )
}
