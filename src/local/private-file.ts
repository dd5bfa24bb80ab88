/** Files of the local service that hold secrets: written atomically, readable by their owner only. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/** Writes `content` to `file` atomically, with mode 0600. */
export function writePrivate(file: string, content: string): void {
  const unfinished = `${file}.unfinished`
  rmSync(unfinished, { force: true })
  writeFileSync(unfinished, content, { mode: 0o600 })
  renameSync(unfinished, file)
}

/** Writes `value` as JSON, in the same way. */
export function writePrivateJson(file: string, value: unknown): void {
  writePrivate(file, `${JSON.stringify(value, null, 2)}\n`)
}

/** The JSON in `file`, or null when it is missing or not JSON. */
export function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}
