/** The rules. Each check returns the broken rule, or null. */
import { currentVersions, type Versions } from '../../src/freshness/versions.ts'
import { type Node, type Program, start } from './actor.ts'
import { recall } from './memo.ts'
import { type Answered, SITE, titled } from './reader.ts'
import type { Universe, World } from './world.ts'
import { type Acknowledged, consumer, lastSweep } from './writers.ts'

/** `due` is the promise to callers when the request started. */
export function checkAnswer(
  { status, served, cached }: Answered,
  due: Acknowledged,
  { postgres }: World,
  hadFaults: boolean,
): string | null {
  const other = cached.find(({ tagged, content }) => content !== tagged)
  if (other) return `an isolate caches content ${other.content} under version ${other.tagged}`
  if (status === 401) return postgres.revoked ? null : 'a key is refused that was not revoked'
  // A request may have been admitted before the site was deleted.
  if (status === 404 && postgres.revoked) return null
  if (!served) return status === 500 && hadFaults ? null : `an answer is ${status}`
  if (due.revoked) return 'a revoked key opens the site, after the revocation was confirmed'
  if (served.content < due.content) {
    return `a read shows content ${served.content}, after the writer of ${due.content} was told`
  }
  const { tagged, content } = served
  return tagged === null || tagged === content ? null : `content ${content} has the tag of ${tagged}`
}

/** At any time. */
export function checkWorld({ redis, postgres, bodies }: World): string | null {
  for (const [url, body] of Object.entries(bodies)) {
    const [version, content] = [Number(/%20(\d+)%20/.exec(url)![1]), titled(body)]
    if (content !== version) return `isolates share content ${content} under version ${version}`
  }
  const vouched = vouchedFor(redis)
  const isAhead =
    vouched &&
    (vouched.authVersion > postgres.authVersion || vouched.contentVersion > postgres.contentVersion)
  return isAhead ? `Redis vouches for ${show(vouched)}, and Postgres has ${show(postgres)}` : null
}

/**
 * After all actors have stopped, the queue's message is consumed and the marked sites are swept. `isUnmarked`: a writer may
 * have failed to mark the site.
 */
export function checkCalm(universe: Universe, world: World, isUnmarked: boolean): string | null {
  const { redis, postgres } = calmAfter(universe, world)
  const vouched = vouchedFor(redis)
  const isRight = postgres.gone ? !vouched : vouched && show(vouched) === show(postgres)
  if (isRight || isUnmarked) return null
  return `all is calm and swept, Redis vouches for ${show(vouched)}, and Postgres has ${show(postgres)}`
}

export function isMarked({ redis }: World): boolean {
  return SITE in ((redis['model:waiting'] ?? {}) as object)
}

const calm = new WeakMap<World, World>()

function calmAfter(universe: Universe, world: World): World {
  const known = calm.get(world)
  if (known) return known
  const consumed = world.queued ? runAlone(universe, world, consumer).world : world
  const swept = runAlone(universe, consumed, lastSweep).world
  // The sweep of all sites, which comes first after Redis loses its data, does not see a deleted one.
  const settled = swept.postgres.gone ? runAlone(universe, swept, lastSweep).world : swept
  calm.set(world, settled)
  return settled
}

const roots = new Map<Program<unknown>, Node<unknown>>()

/**
 * Runs a program without failures or other actors.
 * @throws Unknown
 */
export function runAlone<Result>(universe: Universe, from: World, program: Program<Result>) {
  let [node, world] = [recall(roots, program, () => start(program)) as Node<Result>, from]
  for (let [open] = node.calls; open; [open] = node.calls) {
    const executed = universe.execute(world, open[1])
    world = executed.world
    node = node.next(open[0], executed.reply)
  }
  return { world, result: node.result! }
}

function vouchedFor(redis: World['redis']): Versions | null {
  return currentVersions(redis[`model:versions:${SITE}`])
}

function show(versions: Versions | null): string {
  return versions ? `auth ${versions.authVersion} content ${versions.contentVersion}` : 'nothing'
}
