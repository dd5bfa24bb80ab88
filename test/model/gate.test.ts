/** Searches the gate: search.ts is the search, rules.ts the rules, faults.ts the faults that it must find. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sha256Hex } from '../../src/core/ids.ts'
import { depthOf } from '../support/depth.ts'
import { makeRunsRepeatable, NOW } from './actor.ts'
import * as seeded from './faults.ts'
import { knowing } from './memo.ts'
import { EMPTY, KEY, KEY_ID, type Memory, reader, SITE } from './reader.ts'
import { runAlone } from './rules.ts'
import { type Found, type Model, search } from './search.ts'
import { openUniverse, type Universe, type World } from './world.ts'
import { deletion, lastSweep, renewal, revoke, sweep, writeContent, writeOther } from './writers.ts'

/** Steps of the largest search. */
const DEPTH = depthOf('gateSteps')
/** Steps of the searches with faults. */
const FAULTS = depthOf('gateFaults')
const TIMEOUT = { timeout: 7_200_000 }

makeRunsRepeatable()

const firstRead = reader(EMPTY, 'plain')
let universe: Universe
/** Redis confirms the state of Postgres, has the key, and no site is marked. */
let quiet: World
/** The memory of an isolate that has just read. */
let warm: Memory

beforeAll(async () => {
  universe = await openUniverse(`
    insert into sites (id, name, domain, plan) values ('${SITE}', 'Model', 'model.example', 'scale');
    insert into api_keys (id, site_id, name, key_hash, prefix, last_four, last_used_at)
      values ('${KEY_ID}', '${SITE}', 'Reader', '${await sha256Hex(KEY)}', 'hca_live_', '0000', '${new Date(NOW).toISOString()}');
    insert into posts (site_id, slug, title, content_html) values ('${SITE}', 'b', '', '');
    insert into posts (site_id, slug, title, content_html) values ('${SITE}', 'a', '', '');
    update posts set title = 'v' || (select content_version + 1 from sites) where slug = 'a'`)
  const swept = await knowing(() => runAlone(universe, universe.start, lastSweep))
  // The sweep of all sites marks those whose versions it stores, for the minute's sweep.
  const unmarked = await knowing(() => runAlone(universe, swept.world, lastSweep))
  const read = await knowing(() => runAlone(universe, unmarked.world, firstRead))
  quiet = read.world
  warm = read.result.memory
})
afterAll(() => universe.close())

type Scenario = Pick<Model, 'writers'> & Partial<Model>

const searched = (scenario: Scenario) =>
  search({ universe, from: quiet, isolates: [], faults: 0, ...scenario })

const warmOnce = () => ({ memory: warm, requests: ['plain' as const] })
const coldOnce = () => ({ memory: EMPTY, requests: ['plain' as const] })
const warmTwice = () => ({ memory: warm, requests: ['plain' as const, 'conditional' as const] })

describe('no rule is broken', () => {
  const searches: [name: string, least: number, () => Scenario][] = [
    ['two writers, with faults', 1_000, () => ({ writers: [writeContent, revoke], faults: FAULTS })],
    [
      'a writer and the sweep, with faults',
      1_000,
      () => ({ writers: [writeContent, sweep], faults: FAULTS }),
    ],
    ['two writers and the sweep', 1_000, () => ({ writers: [writeContent, revoke, sweep] })],
    [
      'a writer and two isolates, with faults',
      10_000,
      () => ({ writers: [writeContent], isolates: [warmTwice(), coldOnce()], faults: FAULTS }),
    ],
    [
      'a revocation and two isolates, with faults',
      4_000,
      () => ({ writers: [revoke], isolates: [warmOnce(), coldOnce()], faults: FAULTS }),
    ],
    [
      'a revocation, the renewal of keys and two isolates, with faults',
      20_000,
      () => ({ writers: [revoke, renewal], isolates: [warmOnce(), coldOnce()], faults: FAULTS }),
    ],
    [
      'two writers and two isolates',
      30_000,
      () => ({ writers: [writeContent, revoke], isolates: [warmOnce(), coldOnce()] }),
    ],
    [
      'writers of two posts and an isolate, with faults',
      4_000,
      () => ({ writers: [writeContent, writeOther], isolates: [warmTwice()], faults: FAULTS - 1 }),
    ],
    [
      'a deletion and an isolate, with faults',
      1_000,
      () => ({ writers: [deletion], isolates: [warmOnce()], faults: FAULTS }),
    ],
    [
      'a deletion, a write and an isolate',
      1_000,
      () => ({ writers: [deletion, writeContent], isolates: [warmOnce()] }),
    ],
    [
      'a deletion, the renewal of keys and two isolates',
      1_000,
      () => ({ writers: [deletion, renewal], isolates: [warmOnce(), coldOnce()] }),
    ],
    [
      `two writers, the sweep and two isolates, ${DEPTH} steps deep`,
      50_000,
      () => ({ writers: [writeContent, revoke, sweep], isolates: [warmTwice(), coldOnce()], depth: DEPTH }),
    ],
  ]

  it.for(searches)('%s', TIMEOUT, async ([name, least, scenario], { task }) => {
    const found = await searched(scenario())
    task.meta.summary = `${name}: ${found.states} states of the gate`
    expect(found.violation, shown(found)).toBeNull()
    expect(found.states).toBeGreaterThan(least)
  })
})

describe('a seeded fault is found', () => {
  const faults: [name: string, rule: RegExp, () => Scenario][] = [
    [
      'a writer that stores versions without looking for its token',
      /a revoked key opens|Redis vouches for auth 1/,
      () => ({
        writers: [{ ...writeContent, seed: seeded.storeOverAnyToken }, revoke],
        isolates: [warmOnce()],
      }),
    ],
    [
      'a writer that stores versions before its commit',
      /Redis vouches for/,
      () => ({ writers: [seeded.storeBeforeCommit] }),
    ],
    [
      'a sweep that reads the versions before it sets its token',
      /a read shows content/,
      () => ({
        writers: [writeContent, { ...sweep, seed: seeded.readBeforeStarting }],
        isolates: [warmOnce()],
      }),
    ],
    [
      'a writer that does not mark its site',
      /all is calm/,
      () => ({ writers: [{ ...revoke, seed: seeded.writeWithoutMark }] }),
    ],
    [
      'a reader that does not compare the version of the keys',
      /a revoked key opens/,
      () => ({
        writers: [revoke],
        isolates: [warmOnce()],
        read: seeded.readingWith(seeded.ignoreAuthVersion),
      }),
    ],
    [
      'a reader that does not compare the version of a key that was renewed while it was revoked',
      /a revoked key opens/,
      () => ({
        from: universe.withoutRedis(quiet),
        writers: [revoke, renewal],
        isolates: [coldOnce()],
        read: seeded.readingWith(seeded.ignoreAuthVersion),
      }),
    ],
    [
      'a reader that does not store the versions of slugs',
      /a read shows content/,
      () => ({
        writers: [writeContent],
        isolates: [warmOnce()],
        read: seeded.readingWith(seeded.keepSlugVersions(quiet.postgres)),
      }),
    ],
    [
      'a reader that ignores a token',
      /a read shows content/,
      () => ({
        writers: [writeContent],
        isolates: [warmOnce()],
        read: seeded.readingWith(seeded.ignoreToken(quiet.postgres)),
        faults: 1,
      }),
    ],
    [
      'a reader that loads the body before its request is admitted',
      /an isolate caches content|isolates share content/,
      () => ({ writers: [writeContent], isolates: [coldOnce()], read: seeded.loadBeforeAdmission }),
    ],
    [
      'a body that is cached under the requested version, whatever version it was read at',
      /an isolate caches content|isolates share content/,
      () => ({
        writers: [writeContent],
        isolates: [coldOnce()],
        read: seeded.keepUnderTheVersionAsked,
        // The cache does not return the body.
        faults: 1,
      }),
    ],
    [
      'bodies that are shared across versions',
      /an isolate caches content|isolates share content/,
      () => ({
        writers: [writeContent],
        isolates: [coldOnce(), coldOnce()],
        read: seeded.readingWith(seeded.shareBodiesOfAllVersions),
      }),
    ],
  ]

  it.for(faults)('%s', TIMEOUT, async ([_, rule, scenario]) => {
    const found = await searched(scenario())
    expect(found.violation?.rule, shown(found)).toMatch(rule)
  })
})

const shown = ({ violation }: Found) =>
  violation ? `${violation.rule}, after\n  ${violation.steps.join('\n  ')}` : ''
