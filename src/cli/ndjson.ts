/** Streams files with one JSON object per line. */
import { resolve } from 'node:path'
import { Failure } from '../transfer/failure.ts'
import { open } from './files.ts'
import type { Io } from './io.ts'
import { cannotRead, isObject, type JsonObject, jsonProblem } from './json-file.ts'
import { linesOf } from './lines.ts'

/** A body may have 8 MiB, and exports add derived fields. */
const MAX_LINE_MIB = 16

/** Lines count from 1; skips blank ones. @throws Failure for a line above 16 MiB or without a JSON object */
export async function* objectsOf(
  io: Pick<Io, 'cwd'>,
  file: string,
): AsyncGenerator<{ line: number; object: JsonObject }> {
  let line = 0
  for await (const bytes of bytesOf(resolve(io.cwd, file), file)) {
    line += 1
    const object = parse(bytes, file, line)
    if (object) yield { line, object }
  }
}

async function* bytesOf(path: string, file: string): AsyncGenerator<Buffer> {
  let line = 1
  try {
    await using handle = await open(path)
    for await (const { bytes } of linesOf(handle, { cut: true, maxBytes: MAX_LINE_MIB * 2 ** 20 })) {
      yield bytes
      line += 1
    }
  } catch (error) {
    if (error instanceof RangeError)
      throw new Failure(`${file}, line ${line}, is larger than ${MAX_LINE_MIB} MiB`)
    throw error instanceof Failure ? error : cannotRead(file, error)
  }
}

function parse(bytes: Buffer, file: string, line: number): JsonObject | null {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    throw new Failure(`${file}, line ${line}, is not valid UTF-8`)
  }
  if (text.trim() === '') return null
  let object: unknown
  try {
    object = JSON.parse(text)
  } catch (error) {
    throw new Failure(`${file} is not JSON: ${jsonProblem(error, text, { line, column: 1 })}`)
  }
  if (isObject(object)) return object
  throw new Failure(`${file}, line ${line}, must hold one object`)
}
