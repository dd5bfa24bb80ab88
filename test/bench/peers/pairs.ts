/** Us and each peer alternately, the same question under the same load. */
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { askIsolates } from '../cold.ts'
import { POSTS } from '../content.ts'
import type { Load, Question } from '../load.ts'
import { type Measured, type Meters, measure } from '../measure.ts'
import { type Name, PAGE_NUMBERS } from '../questions.ts'
import type { Peer } from './peer.ts'

const ROUNDS = 2

/** By how many times our requests a second should be more than the best peer's, by where that runs. */
export const GOALS: Record<Peer['runsOn'], Partial<Record<Name, number>>> = {
  node: { 'list hot': 10, 'list cold': 3, post: 3, '304': 15 },
  workers: { 'list hot': 1.5, 'list cold': 1.5, post: 1.5, '304': 1.5 },
}

export type Pair = {
  name: Name
  peer: string
  runsOn: Peer['runsOn']
  /** The closest request, if the peer has no such response. */
  instead: string | null
  connections: number
  rounds: { ours: Measured; theirs: Measured }[]
}

type Ours = { question: Question; meters: Meters }

/** Asks us and each peer alternately, twice, under each load. */
export async function comparePairs(
  name: Name,
  ours: Ours,
  peers: Peer[],
  { loads, seconds }: { loads: number[]; seconds: number },
): Promise<Pair[]> {
  const pairs: Pair[] = []
  for (const peer of peers) {
    const asked = await questionOf(name, peer)
    if (!asked) continue
    for (const connections of loads) {
      const load = { connections, seconds }
      const rounds: Pair['rounds'] = []
      for (let round = 0; round < ROUNDS; round++) {
        rounds.push({
          ours: await measure(ours.question, ours.meters, load),
          theirs: await measure(asked.question, peer.meters, load),
        })
      }
      const times = rounds.map((round) => (round.ours.perSecond / round.theirs.perSecond).toFixed(1))
      console.error(`${name} at ${connections}: ${times} times ${peer.name}`)
      pairs.push({ name, peer: peer.name, runsOn: peer.runsOn, instead: asked.instead, connections, rounds })
    }
  }
  return pairs
}

/** The first answer with a post of each new isolate; null where there are none. */
export async function askNewIsolates(peer: Peer, seconds: number): Promise<Load | null> {
  const { origin, headers, post, restart } = peer
  if (!restart) return null
  async function startIsolate() {
    await restart!()
    return { origin, stop: async () => {} }
  }
  return askIsolates({ origin, headers, paths: [post(0)], status: 200 }, startIsolate, seconds)
}

type Asked = { question: Question; instead: string | null }

async function questionOf(name: Name, peer: Peer): Promise<Asked | null> {
  const { origin, headers, list, post, caches } = peer
  const plain = (paths: string[]) => ({ question: { origin, headers, paths, status: 200 }, instead: null })
  const hot = plain([list(1)])
  if (name === 'list hot') return hot
  // A peer without 304 answers in full.
  if (name === '304') return (await conditional(hot.question)) ?? { ...hot, instead: 'the plain list' }
  // A repeated question would not be cold.
  if (caches) return null
  if (name === 'list cold') return plain(PAGE_NUMBERS.map(list))
  if (name === 'post') return plain(Array.from({ length: POSTS }, (_, n) => post(n)))
  return null
}

/** Null where the peer answers no 304. */
async function conditional(hot: Question): Promise<Asked | null> {
  const first = await head(hot)
  const headers = { ...hot.headers, 'if-none-match': first.headers.etag ?? '""' }
  const { statusCode } = await head({ ...hot, headers })
  return statusCode === 304 ? { question: { ...hot, headers, status: 304 }, instead: null } : null
}

/** The head of the first answer. Without fetch, which adds `Cache-Control: no-cache` to a conditional request. */
async function head({ origin, paths, headers }: Question): Promise<IncomingMessage> {
  const [answer] = (await once(get(origin + paths[0], { headers, agent: false }), 'response')) as [
    IncomingMessage,
  ]
  answer.resume()
  return answer
}
