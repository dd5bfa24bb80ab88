/** The pairs as a table, and what is reached of the goals. */
import type { Load } from '../load.ts'
import { table } from '../table.ts'
import { GOALS, type Pair } from './pairs.ts'
import type { Does, Peer } from './peer.ts'

/** One that was asked: what each answer does, its memory afterwards, and the first post of new isolates. */
export type Party = { name: string; does: Does; mib: number; cold: Load | null }

export function describePairs(pairs: Pair[], parties: Party[]): string {
  return `${table(pairs.map(cells))}
${table(parties.map(deeds))}
CPU in seconds per 1,000 requests, of all processes that serve them; of ours the gateways too. Theirs: in production mode without
logs, an index for the list's order, a post by its id; with a token that may read everything where they check one; no cache
unless it says so. What runs on Workers is in the same workerd as ours, with D1 in its process.
${goals(pairs)}`
}

function cells({ name, peer, instead, connections, rounds }: Pair): Record<string, string> {
  const mean = (of: (round: Pair['rounds'][number]) => number) =>
    rounds.reduce((sum, round) => sum + of(round), 0) / rounds.length
  const cpu = (perRequest: Record<string, number | null>) =>
    Object.entries(perRequest)
      .filter(([meter]) => meter.endsWith('Cpu'))
      .reduce((sum, [, seconds]) => sum + (seconds ?? 0) * 1_000, 0)
  return {
    question: name,
    connections: String(connections),
    peer: instead ? `${peer} (${instead})` : peer,
    'ours/s': mean(({ ours }) => ours.perSecond).toFixed(0),
    'theirs/s': mean(({ theirs }) => theirs.perSecond).toFixed(0),
    times: rounds.map((round) => ratio(round).toFixed(1)).join(', '),
    'our p50, p99 ms': `${mean(({ ours }) => ours.p50).toFixed(1)}, ${mean(({ ours }) => ours.p99).toFixed(1)}`,
    'their p50, p99 ms': `${mean(({ theirs }) => theirs.p50).toFixed(1)}, ${mean(({ theirs }) => theirs.p99).toFixed(1)}`,
    'our CPU': mean(({ ours }) => cpu(ours.perRequest)).toFixed(2),
    'without gateways': mean(({ ours }) => cpu({ ...ours.perRequest, gatewaysCpu: 0 })).toFixed(2),
    'their CPU': mean(({ theirs }) => cpu(theirs.perRequest)).toFixed(2),
    'our KB': mean(({ ours }) => ours.bytes / 1_000).toFixed(1),
    'their KB': mean(({ theirs }) => theirs.bytes / 1_000).toFixed(1),
  }
}

function deeds({ name, does, mib, cold }: Party): Record<string, string> {
  return {
    asked: name,
    'checks a key': does.key ? 'yes' : 'no',
    'counts a quota': does.quota ? 'yes' : 'no',
    'stale for, s': String(does.staleSeconds),
    MiB: mib.toFixed(0),
    'first post, ms': cold?.p50.toFixed(0) ?? '',
  }
}

const ratio = ({ ours, theirs }: Pair['rounds'][number]) => ours.perSecond / theirs.perSecond

/** The throughput: the lower mean of the two loads. */
function goals(pairs: Pair[]): string {
  return (['node', 'workers'] as const)
    .map((runsOn) =>
      goalsBeside(
        runsOn,
        pairs.filter((pair) => pair.runsOn === runsOn),
      ),
    )
    .join('')
}

function goalsBeside(runsOn: Peer['runsOn'], pairs: Pair[]): string {
  return Object.entries(GOALS[runsOn])
    .filter(([name]) => pairs.some((pair) => pair.name === name))
    .map(([name, goal]) => {
      const times = new Map<string, number>()
      for (const { peer, rounds } of pairs.filter((pair) => pair.name === name)) {
        const mean = rounds.reduce((sum, round) => sum + ratio(round), 0) / rounds.length
        times.set(peer, Math.min(mean, times.get(peer) ?? mean))
      }
      const list = [...times].map(([peer, least]) => `${least.toFixed(1)} times ${peer}`)
      const verdict = Math.min(...times.values()) >= goal ? 'reached' : 'not reached'
      return `${name}: at least ${list.join('; ')}. The goal of ${goal} is ${verdict}.\n`
    })
    .join('')
}
