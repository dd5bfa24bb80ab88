/** Output: tables or one JSON value on stdout, progress and errors on stderr. */
import type { Io } from './io.ts'

const PROGRESS_EVERY_MS = 3_000
const PROGRESS_ON_TTY_EVERY_MS = 100
const BAR_WIDTH = 24

export function writeJson({ stdout }: Io, value: unknown): void {
  stdout.write(`${escaped(JSON.stringify(value, null, 2))}\n`)
}

export function writeText({ stdout }: Io, text: string): void {
  stdout.write(`${printable(text)}\n`)
}

/** Respects backpressure. */
export async function writePieces(
  { stdout }: Pick<Io, 'stdout'>,
  pieces: AsyncIterable<string>,
  asJson: boolean,
): Promise<void> {
  for await (const piece of pieces) {
    const isFull = stdout.write(asJson ? piece : printable(piece)) === false
    // A closed pipe does not drain.
    if (isFull && stdout.once && !stdout.destroyed) {
      await new Promise<void>((resolve) => {
        const resume = () => {
          for (const event of ['drain', 'close']) stdout.off?.(event, resume)
          resolve()
        }
        for (const event of ['drain', 'close']) stdout.once?.(event, resume)
      })
    }
  }
}

export function writeError({ stderr }: Pick<Io, 'stderr'>, text: string): void {
  stderr.write(`${printable(text).replaceAll('\n', ' ')}\n`)
}

export function table<Row>(
  rows: Row[],
  columns: Record<string, (row: Row) => unknown>,
  none: string,
): string {
  if (rows.length === 0) return none
  const cells = [
    Object.keys(columns).map((heading) => heading.toUpperCase()),
    ...rows.map((row) => Object.values(columns).map((read) => oneLine(read(row)))),
  ]
  const widths = Object.keys(columns).map((_, i) => Math.max(...cells.map((line) => line[i]?.length ?? 0)))
  return cells
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export function list<Row>(items: Row[], columns: Record<string, (row: Row) => unknown>, none: string) {
  return { json: { items }, text: table(items, columns, none) }
}

/** One field per line; null is shown as `-`. */
export function fieldLines(fields: Record<string, unknown>): string {
  const width = Math.max(...Object.keys(fields).map((name) => name.length))
  return Object.entries(fields)
    .map(([name, value]) => `${name.padEnd(width)}  ${oneLine(value)}`)
    .join('\n')
}

/** Shows progress on stderr: a bar on a terminal, otherwise a JSON line every few seconds. `total` is null if unknown. */
export function progress({ stderr }: Io, label: string, total: number | null) {
  const inPlace = stderr.isTTY === true
  let shownAt = inPlace ? 0 : Date.now()
  return {
    at(done: number): void {
      if (Date.now() - shownAt < (inPlace ? PROGRESS_ON_TTY_EVERY_MS : PROGRESS_EVERY_MS)) return
      shownAt = Date.now()
      stderr.write(
        inPlace
          ? `\r\u001b[K${barOf(label, done, total)}`
          : `${JSON.stringify({ progress: label, done, total })}\n`,
      )
    },
    end(): void {
      if (inPlace) stderr.write('\r\u001b[K')
    },
  }
}

function barOf(label: string, done: number, total: number | null): string {
  if (total === null) return `${label} ${done}`
  const filled = Math.min(BAR_WIDTH, Math.floor((BAR_WIDTH * done) / Math.max(1, total)))
  return `${label} [${'#'.repeat(filled)}${' '.repeat(BAR_WIDTH - filled)}] ${done}/${total}`
}

function oneLine(value: unknown): string {
  return value === null || value === undefined ? '-' : String(value).replace(/\s+/g, ' ')
}

// Titles and errors from outside must not control the terminal or reverse its text.
export function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/gu, '\ufffd')
}

// JSON leaves these control characters as they are, and some terminals obey them.
function escaped(json: string): string {
  return json.replace(/[\u007f-\u009f]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`)
}
