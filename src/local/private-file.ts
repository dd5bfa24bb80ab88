/** Files of the local service that hold secrets: written atomically, readable by their owner only. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/** Writes `value` to `file` as JSON, atomically, with mode 0600. */
export function writePrivateJson(file: string, value: unknown): void {
  const unfinished = `${file}.unfinished`
  rmSync(unfinished, { force: true })
  writeFileSync(unfinished, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  renameSync(unfinished, file)
}

/** The JSON in `file`, or null when it is missing or not JSON. */
export function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}
