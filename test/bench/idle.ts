/**
 * `npm run bench:idle`: what two simulated days cost, one with some writes and one without, on this Worker and on the one
 * of an older commit (`-- --before COMMIT`, by default the last one), with 20 sites or `--sites N`. With `--views N` a front
 * end asks for a post of each site that many times a day, without a tag. Everything is embedded, and time is set, not
 * waited for.
 */
import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { PROJECT } from './bundle.ts'
import { cleaningUp } from './cleanups.ts'
import type { Days } from './idle/days.ts'
import { describeDays } from './idle/report.ts'

const run = promisify(execFile)

const { values: options } = parseArgs({
  options: {
    // One whose database has the tables of today.
    before: { type: 'string', default: 'HEAD' },
    sites: { type: 'string', default: '20' },
    views: { type: 'string', default: '0' },
    out: { type: 'string', default: '.local/bench-idle.json' },
  },
})
const sites = Number(options.sites)
if (!Number.isInteger(sites) || sites < 1 || sites > 200) throw new Error('--sites must be from 1 to 200')

await cleaningUp(async (cleanups) => {
  await mkdir(join(PROJECT, '.local'), { recursive: true })
  // Inside the project, for its packages.
  const older = await mkdtemp(join(PROJECT, '.local/bench-idle-'))
  cleanups.push(() => rm(older, { recursive: true }))
  const archive = 'git archive "$1" functions src | tar -x -C "$2"'
  await run('bash', ['-o', 'pipefail', '-c', archive, 'bash', options.before, older], { cwd: PROJECT })
  const simulate = async (folder: string) => {
    const child = fork(join(import.meta.dirname, 'idle/days.ts'), [folder, String(sites), options.views])
    cleanups.push(() => child.kill())
    const died = once(child, 'exit').then(() => {
      throw new Error(`The days on ${folder} could not be simulated`)
    })
    const [days] = await Promise.race([once(child, 'message'), died])
    died.catch(() => {})
    return days as Days
  }
  const [before, now] = await Promise.all([simulate(older), simulate(PROJECT)])
  const text = describeDays(options.before, sites, before!, now!)
  await mkdir(dirname(options.out), { recursive: true })
  const report = { at: new Date().toISOString(), sites, before: { commit: options.before, ...before }, now }
  await writeFile(options.out, `${JSON.stringify(report, null, 2)}\n`)
  await writeFile(options.out.replace(/(\.json)?$/, '.md'), text)
  console.log(text)
})
