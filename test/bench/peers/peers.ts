/** The services that we are compared with. */
import type { Cleanups } from '../cleanups.ts'
import { POSTS } from '../content.ts'
import { startDirectus } from './directus.ts'
import { startEmDash } from './emdash.ts'
import { startMicrofeed } from './microfeed.ts'
import type { Peer, Setting } from './peer.ts'
import { startNextSonicJs, startSonicJs } from './sonicjs.ts'
import { startStrapi } from './strapi.ts'

const STARTS = {
  sonicjs: startSonicJs,
  'sonicjs-3': startNextSonicJs,
  microfeed: startMicrofeed,
  emdash: startEmDash,
  strapi: startStrapi,
  directus: startDirectus,
}

export const PEERS = Object.keys(STARTS)

type Started = { peers: Peer[]; failures: string[] }

/**
 * Starts those with these names, each in a database of its own, with the same posts as ours in their pages. One that fails
 * is told and ended, and the others go on without it.
 */
export async function startPeers(cleanups: Cleanups, names: string[], setting: Setting): Promise<Started> {
  const started: Started = { peers: [], failures: [] }
  for (const [name, start] of Object.entries(STARTS)) {
    if (!names.includes(name)) continue
    const before = cleanups.length
    try {
      const peers = await start(cleanups, setting)
      for (const peer of peers) await checkPage(peer)
      started.peers.push(...peers)
    } catch (error) {
      const failure = `${name} is not measured: ${error instanceof Error ? error.message : error}`
      console.error(failure)
      started.failures.push(failure)
      for (const cleanup of cleanups.splice(before).reverse()) await cleanup()
    }
  }
  return started
}

/** 12 posts with bodies, others than those of the next page, and the total of all. */
async function checkPage({ name, origin, headers, list, read }: Peer): Promise<void> {
  const [page, next] = await Promise.all(
    [1, 2].map(async (number) => {
      const response = await fetch(origin + list(number), { headers })
      const text = await response.text()
      const { posts, total = POSTS } = response.ok ? read(JSON.parse(text)) : { posts: [] }
      if (posts.length !== 12 || total !== POSTS || text.length < 12 * 2_000)
        throw new Error(`${name} answers ${response.status} ${text.slice(0, 300)}`)
      return text
    }),
  )
  if (page === next) throw new Error(`${name} has only one page`)
}
