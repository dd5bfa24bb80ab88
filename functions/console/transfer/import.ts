/** Checks or imports a file of the `export` command. */
import type { Api } from '../../../src/transfer/api.ts'
import { Failure } from '../../../src/transfer/failure.ts'
import { loadSource } from '../../../src/transfer/load.ts'
import { ndjsonFile } from '../../../src/transfer/ndjson.ts'
import type { Report } from '../../../src/transfer/report.ts'
import type { LoadedSite } from '../../../src/transfer/source.ts'
import { openMemory } from '../../../src/transfer/spool.ts'

export type Put = Parameters<Report['put']>[0][number]
/** `line` reads like `line 7`. */
type LeftOut = { line: string; reason: string }

export type ImportResult = {
  put: Put[]
  refused: LeftOut[]
  /** Dropped parts of articles, and redirects. */
  lost: LeftOut[]
  /** Counts of everything but articles, by name. */
  rest: Record<string, unknown>
}

type Options = { dryRun: boolean; sendEvents: boolean; settings: boolean }

/** @throws Failure if the text is not a complete export, or the import has to stop */
export async function importText(
  api: Api,
  site: LoadedSite,
  text: string,
  { dryRun, sendEvents, settings }: Options,
): Promise<ImportResult> {
  const result: ImportResult = { put: [], refused: [], lost: [], rest: {} }
  try {
    const source = await ndjsonFile(api, site, 'The file', () => objectsOf(text), {
      keepIds: false,
      settings,
      dryRun,
    })
    const options = {
      report: reportInto(result),
      openSpool: openMemory,
      sendEvents,
      dryRun,
      onDone: () => {},
    }
    await loadSource(api, site, source, options)
    return result
  } catch (error) {
    throw error instanceof RangeError ? new Failure('The file has a line that is nested too deeply') : error
  }
}

async function* objectsOf(text: string) {
  for (const [at, content] of text.split('\n').entries()) {
    if (content.trim() === '') continue
    yield { line: at + 1, object: parse(content, at + 1) }
  }
}

function parse(content: string, line: number): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(content)
  } catch {
    throw new Failure(`The file, line ${line}, is not JSON`)
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject) throw new Failure(`The file, line ${line}, must hold one object`)
  return value as Record<string, unknown>
}

function reportInto(result: ImportResult): Report {
  const { put, refused, lost } = result
  return {
    put: (outcomes) => void put.push(...outcomes),
    skip: ({ file, reason }) => void refused.push({ line: file, reason }),
    lose: async ({ file, field, reason, detail }) =>
      void lost.push({
        line: file,
        reason: `${field}: ${reason}${detail === undefined ? '' : `: ${detail}`}`,
      }),
    image: async () => {},
    add: (rest) => void Object.assign(result.rest, rest),
    done: () => put.length + refused.length,
    putSoFar: () => put.length,
    isWhole: () => refused.length === 0,
    close: async () => {},
  }
}
