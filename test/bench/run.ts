/**
 * `npm run bench`: the production bundle in workerd, on the PostgreSQL of DATABASE_URL and the Redis of REDIS_URL behind
 * the gateways, asked by autocannon. Nothing else should be running meanwhile.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { query } from '../support/databases.ts'
import { cleaningUp } from './cleanups.ts'
import { askIsolates, measureCold } from './cold.ts'
import { makeContent } from './content.ts'
import { drive, type Question } from './load.ts'
import { describeMachine } from './machine.ts'
import { type Measured, type Meters, measure } from './measure.ts'
import { residentMib } from './memory.ts'
import { askNewIsolates, comparePairs, type Pair } from './peers/pairs.ts'
import type { Party } from './peers/pairs-report.ts'
import { PEERS, startPeers } from './peers/peers.ts'
import { readPosts } from './peers/posts.ts'
import { busiest, sample } from './profile.ts'
import { answerTo, COLD_NAMES, makeQuestions, NAMES } from './questions.ts'
import { type Row, writeReport } from './report.ts'
import { type Service, startConstant, startService } from './service.ts'
import { table } from './table.ts'

const CONNECTIONS = [1, 16]
/** How many functions a profile shows. */
const SHOWN = 20

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    only: { type: 'string', multiple: true },
    profile: { type: 'boolean', default: false },
    peers: { type: 'boolean', default: false },
    peer: { type: 'string', multiple: true },
    'peers-dir': { type: 'string', default: join(tmpdir(), 'bench-peers') },
    out: { type: 'string', default: '.local/bench.json' },
  },
})
const seconds = Number(options.seconds)
if (!Number.isInteger(seconds) || seconds < 1) throw new Error('--seconds must be a whole number from 1')
const unknown = options.only?.filter((name) => !NAMES.some((each) => each === name)) ?? []
if (unknown.length > 0) throw new Error(`--only must be one of ${NAMES.join(', ')}`)
if (options.peer?.some((name) => !PEERS.includes(name)))
  throw new Error(`--peer must be one of ${PEERS.join(', ')}`)
const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = process.env
if (!databaseUrl || !redisUrl) throw new Error('bench needs DATABASE_URL and REDIS_URL')
const names = NAMES.filter((name) => options.only?.includes(name) ?? true)

/** Writes the profile beside the report, and to stdout which functions were the busiest. */
async function profile({ inspector, sourceMap }: Service, name: string, question: Question) {
  const sampled = await sample(inspector!, () => drive(question, Math.max(...CONNECTIONS), seconds))
  const file = options.out.replace(/(\.json)?$/, `-${name.replaceAll(' ', '-')}.cpuprofile`)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, JSON.stringify(sampled))
  const rows = busiest(sampled, sourceMap, SHOWN).map(({ where, percent }) => ({
    percent: percent.toFixed(1),
    [name]: where,
  }))
  console.log(table(rows))
}

await cleaningUp(async (cleanups) => {
  const machine = await describeMachine(databaseUrl, redisUrl)
  const service = await startService(cleanups, { databaseUrl, redisUrl }, { inspected: options.profile })
  const content = await makeContent(service.manage)
  await query(service.databaseUrl, 'vacuum analyze')
  const questions = await makeQuestions(service.origin, content)
  const rows: Row[] = []

  async function ask(name: string, question: Question, meters: Meters) {
    for (const connections of CONNECTIONS) {
      const measured: Measured = await measure(question, meters, { connections, seconds })
      rows.push({ name, ...measured })
      console.error(`${name} at ${connections}: ${Math.round(measured.perSecond)}/s`)
    }
  }

  const body = await answerTo(questions['list hot'])
  const constant = await startConstant(cleanups, service, body)
  for (const name of ['constant', 'called'])
    await ask(name, { ...constant, headers: {}, paths: [`/${name}`], status: 200 }, constant.meters)
  for (const name of names) await ask(name, questions[name], service.meters)
  for (const name of COLD_NAMES.filter((each) => names.includes(each))) {
    const measured = await measureCold(questions[name], service, seconds)
    rows.push({ name: `cold isolate: ${name}`, ...measured })
    console.error(`${name} of a cold isolate: ${measured.requests}`)
  }
  if (options.profile) for (const name of names) await profile(service, name, questions[name])
  const pairs: Pair[] = []
  const parties: Party[] = []
  const failed: string[] = []
  if (options.peers || options.peer) {
    const posts = await readPosts(questions['list hot'])
    const { peers, failures } = await startPeers(cleanups, options.peer ?? PEERS, {
      dir: options['peers-dir'],
      server: databaseUrl,
      posts,
    })
    failed.push(...failures)
    for (const name of names) {
      const asked = { question: questions[name], meters: service.meters }
      pairs.push(...(await comparePairs(name, asked, peers, { loads: CONNECTIONS, seconds })))
    }
    const { post } = questions
    const pids = [service.pid, service.gateways.pid]
    parties.push({
      name: 'ours',
      does: { key: true, quota: true, staleSeconds: 0 },
      mib: await residentMib(pids),
      cold: await askIsolates(post, service.startIsolate, seconds),
    })
    for (const peer of peers) {
      const mib = await residentMib(await peer.processes())
      parties.push({ name: peer.name, does: peer.does, mib, cold: await askNewIsolates(peer, seconds) })
    }
  }
  await writeReport(options.out, {
    at: new Date().toISOString(),
    machine,
    seconds,
    rows,
    pairs,
    parties,
    failed,
  })
})
