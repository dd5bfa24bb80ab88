/**
 * `npm run bench:scale`: a site of a million posts beside one of a thousand and a thousand of a hundred, asked through the
 * Worker in workerd on the PostgreSQL of DATABASE_URL; and the plans of the statements of its verbs. Fails when one of
 * them reads all posts, or many for an answer that has few. Linux only. Nothing else should be running meanwhile.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { getSiteScope } from '../../src/sites/sites.ts'
import { query } from '../support/databases.ts'
import { contextOver } from '../support/verbs.ts'
import { cleaningUp } from './cleanups.ts'
import { askerOf } from './scale/asker.ts'
import { fill, fillGuides, fillNeighbours, fillTraining } from './scale/fill.ts'
import { askLarge, compare, readWhole } from './scale/measures.ts'
import { explainAll, readsWholeSite, sequentialScans, wastefulReads } from './scale/plans.ts'
import { startService } from './service.ts'
import { table } from './table.ts'

const SMALL = 1_000
const TRAINING_ROWS = 100_000
/** For each site, because Postgres reads a nearly empty table as a whole. */
const GUIDES = 10

const { values: options } = parseArgs({
  options: {
    posts: { type: 'string', default: '1000000' },
    neighbours: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '200' },
    out: { type: 'string', default: '.local/bench-scale' },
  },
})
const [posts, neighbours, rounds] = [options.posts, options.neighbours, options.rounds].map(Number) as [
  number,
  number,
  number,
]
const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = process.env
if (!databaseUrl || !redisUrl) throw new Error('bench:scale needs DATABASE_URL and REDIS_URL')

await cleaningUp(async (cleanups) => {
  const service = await startService(cleanups, { databaseUrl, redisUrl })
  const asker = askerOf(service)
  const [small, large] = [await asker.makeSubject(SMALL), await asker.makeSubject(posts)]
  console.error(`Writing ${posts} posts …`)
  await fillNeighbours(service.databaseUrl, neighbours)
  for (const subject of [small, large]) {
    await fill(service.databaseUrl, subject.id, subject.posts)
    await asker.edit(subject)
  }
  await fillGuides(service.databaseUrl, GUIDES)
  await fillTraining(service.databaseUrl, large.id, TRAINING_ROWS)
  await query(service.databaseUrl, 'vacuum analyze')
  await query(service.databaseUrl, 'checkpoint')

  console.error('Asking …')
  const tables = [
    `Posts of the small site and of the large one:\n\n${table(await compare(asker, small, large, rounds))}`,
    `The large one:\n\n${table(await askLarge(asker, large, Math.ceil(rounds / 4)))}`,
    `From end to end:\n\n${table(await readWhole(asker, large, service.pid))}`,
  ]
  const site = await getSiteScope(contextOver(service.gateways), large.id)
  const plans = await explainAll(service.databaseUrl, contextOver(service.gateways), site)
  const scans = [
    ...sequentialScans(plans).filter(({ name }) => !readsWholeSite(name)),
    ...wastefulReads(plans),
  ]
  const found = scans.length === 0 ? 'none reads' : `${scans.map(({ name }) => name).join(', ')} read`
  const report = `${tables.join('\n')}\nOf ${plans.length} statements ${found} more than it needs.\n`
  console.log(report)
  await mkdir(dirname(options.out), { recursive: true })
  await writeFile(`${options.out}.md`, report)
  const texts = plans.map(({ name, statement, plan }) => `## ${name}\n\n${statement}\n\n${plan}\n`)
  await writeFile(`${options.out}-plans.txt`, texts.join('\n'))
  if (scans.length > 0) process.exitCode = 1
})
