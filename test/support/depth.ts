/**
 * The depth of the long searches. The suite runs each for a minute at most; `npm run test:deep` runs them completely,
 * before a release, or one of them with `npm run test:deep FILE`.
 */
import { inject } from 'vitest'

type Search = {
  file: string
  /** The property that it shows, with more certainty the further it goes. */
  promise: string
  unit: string
  suite: number
  deep: number
  /** The environment variable with the printed seed or seeds, to repeat it. */
  seed?: string
}

export const SEARCHES = {
  fuzz: {
    file: 'test/functions/fuzz.test.ts',
    promise: 'hostile requests to both APIs get only documented answers, and leave everything readable',
    unit: 'requests',
    suite: 300,
    deep: 10_000,
    seed: 'FUZZ_SEED',
  },
  consoleFuzz: {
    file: 'test/functions/console/fuzz.test.ts',
    promise: "hostile requests to the console get a page or a redirect, never a 500 or a user's markup",
    unit: 'requests',
    suite: 120,
    deep: 1_000,
    seed: 'FUZZ_SEED',
  },
  events: {
    file: 'test/functions/webhooks/all-writes.test.ts',
    promise:
      'whatever is written, the events are those of what a key with the access `published` sees differently',
    unit: 'writes',
    suite: 60,
    deep: 1_000,
    seed: 'FUZZ_SEED',
  },
  stored: {
    file: 'test/functions/manage/stored.test.ts',
    promise: 'any post or guide that was stored, put again as the API shows it, is unchanged',
    unit: 'posts, and as many guides',
    suite: 12,
    deep: 150,
    seed: 'FUZZ_SEED',
  },
  titles: {
    file: 'test/functions/title-search.test.ts',
    promise: 'any title is found by itself in every case',
    unit: 'pairs of titles',
    suite: 8,
    deep: 60,
    seed: 'FUZZ_SEED',
  },
  gateSteps: {
    file: 'test/model/gate.test.ts',
    promise: 'no order of the steps of two writers, the sweep and two isolates breaks a rule of the gate',
    unit: 'steps of the largest search',
    suite: 0,
    deep: 15,
  },
  gateFaults: {
    file: 'test/model/gate.test.ts',
    promise: 'nor does one that calls to Redis and Postgres fail in',
    unit: 'faults in one run',
    suite: 0,
    deep: 2,
  },
  sync: {
    file: 'test/sync/sync.test.ts',
    promise: 'no poller loses an update, no tag has two bodies, and the audit log has every change',
    unit: 'seeds',
    suite: 1,
    deep: 20,
  },
  copies: {
    file: 'test/sync/client.test.ts',
    promise: "the client's copies are right in the end, though their processes are killed again and again",
    unit: 'seeds',
    suite: 0,
    deep: 20,
  },
  workerKills: {
    file: 'test/process/kill.test.ts',
    promise: 'a Worker that is killed and loses replies of its database POSTs no event twice and logs each',
    unit: 'kills, each among 150 events',
    suite: 1,
    deep: 20,
    seed: 'KILL_SEED',
  },
  blog: {
    file: 'test/cli/corpus.test.ts',
    promise: 'a blog of 1,049 posts is imported completely, with each text that is left out named',
    unit: 'times',
    suite: 0,
    deep: 1,
  },
  words: {
    file: 'test/src/convert/words.test.ts',
    promise:
      'no word of a Markdown file is missing from the result unless it is named, whatever tags its prose has',
    unit: 'of 1,101 files',
    suite: 40,
    deep: 1_101,
    seed: 'WORDS_SEED',
  },
  wordpress: {
    file: 'test/cli/wordpress/real.test.ts',
    promise:
      'every field of a WordPress from Debian, read from its export and by its API, is as SQL has it, or named',
    unit: 'sites',
    suite: 0,
    deep: 1,
  },
  wordpressPlugin: {
    file: 'test/installs/wordpress-plugin.test.ts',
    promise:
      'the plugin makes one post of each article in a real WordPress, whatever is lost, doubled, forged or killed, and overwrites no editor',
    unit: 'kills, each among 30 drafts',
    suite: 0,
    deep: 20,
    seed: 'KILL_SEED',
  },
  nextExample: {
    file: 'test/installs/next-example.test.ts',
    promise:
      'the example in Next.js shows what is published within seconds, and a draft only to whoever has its link',
    unit: 'builds',
    suite: 0,
    deep: 1,
  },
  ghost: {
    file: 'test/cli/ghost/real.test.ts',
    promise: 'every field of a Ghost from npm, read from its export, is as its Admin API has it, or named',
    unit: 'sites',
    suite: 0,
    deep: 1,
  },
  roundTrip: {
    file: 'test/process/round-trip.test.ts',
    promise: 'what is imported from a blog, exported and imported elsewhere is equal',
    unit: 'percent of 1,049 posts',
    suite: 0,
    deep: 100,
    seed: 'ROUND_TRIP_SEED',
  },
  commandKills: {
    file: 'test/process/round-trip.test.ts',
    promise: 'it is so too if each of four commands is killed again and again',
    unit: 'kills of each',
    suite: 0,
    deep: 13,
    seed: 'ROUND_TRIP_SEED',
  },
  receiverReads: {
    file: 'test/process/read-your-webhook.test.ts',
    promise: "a receiver that fetches the post in its handler never gets an older one than its event's",
    unit: 'rounds of 50 events',
    suite: 2,
    deep: 20,
  },
  accessibility: {
    file: 'test/browser/accessibility.test.ts',
    promise: 'every page of the console and of the guide passes axe at every width, and fits it',
    unit: 'of narrow, wide and dark, for each page',
    suite: 1,
    deep: 3,
  },
  rollback: {
    file: 'test/process/runbooks/a-bad-deployment.test.ts',
    promise: 'an earlier version runs on the schema of today, beside the new one and after it',
    unit: 'migrations back, or as many as there are',
    suite: 1,
    deep: 20,
  },
  load: {
    file: 'test/process/load.test.ts',
    promise: '100 clients at once get only documented answers',
    unit: 'seconds',
    suite: 0,
    deep: 600,
  },
} as const satisfies Record<string, Search>

export const depthOf = (search: keyof typeof SEARCHES): number =>
  SEARCHES[search][inject('deep') ? 'deep' : 'suite']
