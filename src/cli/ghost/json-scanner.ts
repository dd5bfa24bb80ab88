/** Finds values in chunks of JSON, so that memory holds only one value at a time. */
import { MAX_BODY_BYTES } from '../../core/limits.ts'
import { Failure } from '../../transfer/failure.ts'
import { jsonProblem } from '../json-file.ts'
import { consumeChunk, type Extent, startExtent } from './json-extent.ts'

const NEWLINE = 10
const BYTE_ORDER_MARK = Buffer.from('\u{feff}')

export type Path = readonly (string | number)[]

/** `open` a list or object to choose for each of its values, `take` a value, or `pass` over (skip) it. */
export type Choice = 'open' | 'take' | 'pass'

/** A value that was not opened. Line and column count from 1, columns in bytes. */
export type Piece = {
  path: Path
  offset: number
  line: number
  column: number
  size: number
  /** Null if it was passed over, or is larger than 8 MiB. */
  bytes: Buffer | null
}

type Frame = { isList: boolean; key: string | number }
type Expected = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'comma' | 'nothing'
type Started = Pick<Piece, 'path' | 'offset' | 'line' | 'column'> & { isKey: boolean; extent: Extent }

/**
 * `write` returns the pieces that end in the next bytes, and may share their memory; `end` checks that the text is
 * complete. Values that are passed over are not checked. @throws Failure with `name` and the position
 */
export function jsonScanner(name: string, choose: (path: Path) => Choice) {
  const frames: Frame[] = []
  let expected: Expected = 'value'
  let started: Started | null = null
  let pieces: Piece[] = []
  let offset = 0
  let line = 1
  let lineStart = 0

  function write(chunk: Buffer): Piece[] {
    pieces = []
    let at = offset === 0 && chunk.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0
    while (at < chunk.length) at = started ? continueValue(started, chunk, at) : step(chunk[at] ?? 0, at)
    offset += chunk.length
    return pieces
  }

  function end(): Piece[] {
    pieces = []
    if (started?.extent.isScalar) finish(started)
    if (expected === 'nothing') return pieces
    if (offset === 0) throw new Failure(`${name} is empty`)
    if (started) countLines(started)
    const within = pathText(started?.path ?? path())
    throw new Failure(`${name} is incomplete: it ends ${position(offset)}${within && `, within ${within}`}`)
  }

  /** Reads one byte, or starts a value there. Returns the next index. */
  function step(byte: number, at: number): number {
    if (byte === NEWLINE) startLine(offset + at + 1)
    if (/\s/.test(String.fromCharCode(byte))) return at + 1
    const character = String.fromCharCode(byte)
    const frame = frames.at(-1)
    if (frame && character === (frame.isList ? ']' : '}') && /first|comma/.test(expected)) {
      frames.pop()
      expected = frames.length > 0 ? 'comma' : 'nothing'
    } else if (character === ',' && expected === 'comma') {
      if (frame?.isList) frame.key = Number(frame.key) + 1
      expected = frame?.isList ? 'value' : 'key'
    } else if (character === ':' && expected === 'colon') expected = 'value'
    else if (character === '"' && /key/.test(expected)) return start(byte, at, true, true)
    else if (/["[{\dtfn-]/.test(character) && /value/.test(expected)) return startValue(byte, at)
    else
      throw new Failure(
        `${name} is not JSON: unexpected ${JSON.stringify(character)} ${position(offset + at)}`,
      )
    return at + 1
  }

  function startValue(byte: number, at: number): number {
    const choice = choose(path())
    const isList = byte === '['.charCodeAt(0)
    if (choice !== 'open' || !(isList || byte === '{'.charCodeAt(0))) {
      return start(byte, at, choice !== 'pass', false)
    }
    frames.push({ isList, key: isList ? 0 : '' })
    expected = isList ? 'first value' : 'first key'
    return at + 1
  }

  function start(byte: number, at: number, isKept: boolean, isKey: boolean): number {
    started = {
      path: path(),
      offset: offset + at,
      line,
      column: offset + at - lineStart + 1,
      isKey,
      extent: startExtent(byte, isKept, MAX_BODY_BYTES),
    }
    return at
  }

  function continueValue(value: Started, chunk: Buffer, at: number): number {
    const end = consumeChunk(value.extent, chunk, at)
    if (end === null) return chunk.length
    finish(value)
    return end
  }

  function finish(value: Started): void {
    started = null
    countLines(value)
    const { isKey, extent, ...place } = value
    const piece = { ...place, size: extent.size, bytes: extent.parts && whole(extent.parts) }
    const frame = frames.at(-1)
    if (isKey && frame) {
      frame.key = String(parsePiece(name, piece))
      expected = 'colon'
    } else {
      pieces.push(piece)
      expected = frame ? 'comma' : 'nothing'
    }
  }

  function countLines({ offset, extent }: Started): void {
    line += extent.lines
    if (extent.lines > 0) lineStart = offset + extent.lineStart
  }

  function startLine(start: number): void {
    line += 1
    lineStart = start
  }

  function path(): Path {
    return frames.map(({ key }) => key)
  }

  function position(at: number): string {
    return `at line ${line}, column ${at - lineStart + 1}`
  }

  return { write, end }
}

function whole(parts: Buffer[]): Buffer {
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
}

/** Undefined if the piece has no bytes. @throws Failure with the position if they are not JSON */
export function parsePiece(name: string, { path, line, column, bytes }: Piece): unknown {
  if (!bytes) return undefined
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Failure(`${name} is not valid UTF-8 in ${pathText(path)}, at line ${line}, column ${column}`)
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    const within = path.length > 0 ? `, within ${pathText(path)}` : ''
    throw new Failure(`${name} is not JSON: ${jsonProblem(error, text, { line, column })}${within}`)
  }
}

function pathText(path: Path): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '')
}
