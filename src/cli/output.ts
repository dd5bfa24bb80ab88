/** What a person or a program sees: tables or one JSON value on stdout, progress and errors on stderr. */
import type { Io } from './io.ts'

const PROGRESS_EVERY_MS = 3_000
const PROGRESS_ON_TTY_EVERY_MS = 100

/** Writes the one JSON value of a command. */
export function writeJson({ stdout }: Io, value: unknown): void {
  stdout.write(`${JSON.stringify(value, null, 2)}\n`)
}

/** Writes lines for a person. */
export function writeText({ stdout }: Io, text: string): void {
  stdout.write(`${printable(text)}\n`)
}

/** Writes one line to stderr. */
export function writeError({ stderr }: Pick<Io, 'stderr'>, text: string): void {
  stderr.write(`${printable(text).replaceAll('\n', ' ')}\n`)
}

/** A table with a heading row, or the sentence `none` if it is empty. */
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

/** Fields with their names, one per line; null is shown as `-`. */
export function fieldLines(fields: Record<string, unknown>): string {
  const width = Math.max(...Object.keys(fields).map((name) => name.length))
  return Object.entries(fields)
    .map(([name, value]) => `${name.padEnd(width)}  ${oneLine(value)}`)
    .join('\n')
}

/** Shows `label 12/100` on stderr: in place on a terminal, else a line every few seconds. */
export function progress({ stderr }: Io, label: string, total: number) {
  const inPlace = stderr.isTTY === true
  let shownAt = inPlace ? 0 : Date.now()
  return {
    at(done: number): void {
      if (Date.now() - shownAt < (inPlace ? PROGRESS_ON_TTY_EVERY_MS : PROGRESS_EVERY_MS)) return
      shownAt = Date.now()
      stderr.write(inPlace ? `\r\u001b[K${label} ${done}/${total}` : `${label} ${done}/${total}\n`)
    },
    end(): void {
      if (inPlace) stderr.write('\r\u001b[K')
    },
  }
}

function oneLine(value: unknown): string {
  return value === null || value === undefined ? '-' : String(value).replace(/\s+/g, ' ')
}

// Titles and errors come from outside and must not contain terminal control sequences.
function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n]/gu, '\ufffd')
}
