/** The cost of a large site for its readers, as table rows. */
import { readFile, writeFile } from 'node:fs/promises'
import type { Asker, Subject } from './asker.ts'
import { commonQuestions, largeQuestions } from './questions.ts'

type Row = Record<string, string>

/** The same questions to a small and a large site alternately, each after an edit, so that no answer is cached. */
export async function compare(asker: Asker, small: Subject, large: Subject, rounds: number): Promise<Row[]> {
  const subjects = [small, large]
  const paths = [await commonQuestions(asker, small), await commonQuestions(asker, large)]
  const rows: Row[] = []
  for (const name of Object.keys(paths[0]!)) {
    const times: number[][] = [[], []]
    const totals: string[] = []
    for (let round = 0; round < rounds; round++) {
      for (const [at, subject] of subjects.entries()) {
        await asker.edit(subject)
        const { milliseconds, body } = await asker.read(subject, paths[at]![name]!)
        times[at]!.push(milliseconds)
        totals[at] = /"total":(\d+)/.exec(body)?.[1] ?? ''
      }
    }
    rows.push(comparison(name, times, totals))
  }
  rows.push(await compareUnchanged(asker, subjects, rounds))
  return rows
}

async function compareUnchanged(asker: Asker, subjects: Subject[], rounds: number): Promise<Row> {
  const times: number[][] = [[], []]
  const tags: string[] = []
  for (const subject of subjects) tags.push((await asker.read(subject, '/posts')).headers.get('etag')!)
  for (let round = 0; round < rounds; round++) {
    for (const [at, subject] of subjects.entries()) {
      times[at]!.push((await asker.read(subject, '/posts', tags[at]!)).milliseconds)
    }
  }
  return comparison('304', times, [])
}

/** Questions with many matches and pages that are far away. */
export async function askLarge(asker: Asker, large: Subject, rounds: number): Promise<Row[]> {
  const rows: Row[] = []
  for (const [name, below] of Object.entries(await largeQuestions(asker, large))) {
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      await asker.edit(large)
      times.push((await asker.read(large, below)).milliseconds)
    }
    rows.push({ question: name, 'p50 ms': quantile(times, 0.5), 'p99 ms': quantile(times, 0.99) })
  }
  return rows
}

/** Reads of a whole site, and the most memory that the Worker's process used meanwhile. */
export async function readWhole(asker: Asker, large: Subject, pid: number): Promise<Row[]> {
  const rows: Row[] = []
  const whole = async (name: string, answers: AsyncIterable<number>) => {
    await forgetPeak(pid)
    const before = await peakMemory(pid)
    const times: number[] = []
    for await (const milliseconds of answers) times.push(milliseconds)
    rows.push({
      reading: name,
      answers: String(times.length),
      'slowest ms': quantile(times, 1),
      'total s': (times.reduce((sum, each) => sum + each, 0) / 1_000).toFixed(1),
      'MiB before': before.toFixed(0),
      'at most': (await peakMemory(pid)).toFixed(0),
    })
  }
  await asker.edit(large)
  let files: string[] = []
  await whole(
    "sitemap's index",
    (async function* () {
      const { milliseconds, body } = await asker.read(large, '/sitemap.xml')
      files = [...body.matchAll(/<loc>[^<]*(\/sitemap\.xml\?page=\d+)<\/loc>/g)].map(([, file]) => file!)
      yield milliseconds
    })(),
  )
  await whole(
    "sitemap's files",
    (async function* () {
      for (const file of files) yield (await asker.read(large, file)).milliseconds
    })(),
  )
  await whole(
    'change feed',
    follow(asker, large, '/changes?limit=500', ({ body }) => {
      const { hasMore, cursor } = JSON.parse(body)
      return hasMore ? `&cursor=${cursor}` : null
    }),
  )
  await whole(
    'training export',
    follow(asker, large, '/training/export', ({ headers }) => {
      const after = /after=([0-9a-f-]+)/.exec(headers.get('link') ?? '')?.[1]
      return after ? `?after=${after}` : null
    }),
  )
  return rows
}

/** Page after page; `next` is what to append for the next one. */
async function* follow(
  asker: Asker,
  subject: Subject,
  path: string,
  next: (page: Awaited<ReturnType<Asker['read']>>) => string | null,
): AsyncGenerator<number> {
  for (let appended: string | null = ''; appended !== null; ) {
    const page: Awaited<ReturnType<Asker['read']>> = await asker.read(subject, path + appended)
    yield page.milliseconds
    appended = next(page)
  }
}

function comparison(question: string, [small, large]: number[][], totals: string[]): Row {
  const [a, b] = [quantile(small!, 0.99), quantile(large!, 0.99)]
  return {
    question,
    total: totals.join(' / '),
    'p50 ms': `${quantile(small!, 0.5)} / ${quantile(large!, 0.5)}`,
    'p99 ms': `${a} / ${b}`,
    'ratio of p99': (Number(b) / Number(a)).toFixed(2),
  }
}

function quantile(times: number[], share: number): string {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!.toFixed(1)
}

function forgetPeak(pid: number): Promise<void> {
  return writeFile(`/proc/${pid}/clear_refs`, '5')
}

/** MiB since the peak was last reset. */
async function peakMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1_024
}
