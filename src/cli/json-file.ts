/** Reads the operator's JSON files. Errors have the position. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Failure } from '../transfer/failure.ts'
import type { Io } from './io.ts'

export type JsonObject = Record<string, unknown>

/** Reads one object, or an array of objects. */
export async function readObjects(io: Io, file: string): Promise<JsonObject[]> {
  const text = await readText(io, file)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Failure(`${file} is not JSON: ${jsonProblem(error, text)}`)
  }
  const objects = Array.isArray(value) ? value : [value]
  const wrong = objects.findIndex((item) => !isObject(item))
  if (wrong < 0) return objects
  throw new Failure(
    `${file} must hold an object or an array of objects${Array.isArray(value) ? `: item ${wrong} is not an object` : ''}`,
  )
}

/** @throws Failure unless the file is UTF-8 */
export async function readText({ cwd }: Io, file: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(
      await readFile(resolve(cwd, file)),
    )
  } catch (error) {
    throw cannotRead(file, error)
  }
}

export function cannotRead(file: string, error: unknown): Failure {
  const { code, message } = error as NodeJS.ErrnoException
  const reasons: Record<string, string> = {
    ENOENT: 'the file does not exist',
    EISDIR: 'it is a folder',
    EACCES: 'no permission',
    ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not valid UTF-8',
  }
  return new Failure(`Cannot read ${file}: ${reasons[code ?? ''] ?? message}`)
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Describes an error of JSON.parse with its position; `start` is the position of the text. */
export function jsonProblem(error: unknown, text: string, start = { line: 1, column: 1 }): string {
  // V8 rarely gives the position. The error is at the last character of the shortest prefix that no JSON text starts with.
  const what = (error as Error).message.replace(
    /(?:, | in JSON at position | \(line )[\s\S]*| is not valid JSON$/,
    '',
  )
  let good = 0
  let bad = text.length + 1
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2)
    if (isJsonPrefix(text.slice(0, middle))) good = middle
    else bad = middle
  }
  const before = text.slice(0, good).split('\n')
  const column = (before.at(-1)?.length ?? 0) + (before.length === 1 ? start.column : 1)
  return `${what} at line ${start.line + before.length - 1}, column ${column}`
}

function isJsonPrefix(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    const { message } = error as Error
    const position = /at position (\d+)/.exec(message)?.[1]
    return /end of JSON input|^Unterminated string/.test(message) || Number(position) >= text.length
  }
}
