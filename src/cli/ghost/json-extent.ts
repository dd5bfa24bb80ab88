/** Finds the end of a JSON value in chunks of bytes. */
const [QUOTE, BACKSLASH, NEWLINE, BLANK, COMMA] = [34, 92, 10, 32, 44]
const [LIST, LIST_END, OBJECT, OBJECT_END] = [91, 93, 123, 125]

/** A value being read. Its nesting is counted, but its content is not checked. */
export type Extent = {
  size: number
  parts: Buffer[] | null
  /** Line breaks so far, and the offset after the last one. */
  lines: number
  lineStart: number
  isScalar: boolean
  maxBytes: number
  depth: number
  inString: boolean
  isEscaped: boolean
}

export function startExtent(firstByte: number, isKept: boolean, maxBytes: number): Extent {
  return {
    size: 0,
    parts: isKept ? [] : null,
    lines: 0,
    lineStart: 0,
    isScalar: ![QUOTE, LIST, OBJECT].includes(firstByte),
    maxBytes,
    depth: 0,
    inString: false,
    isEscaped: false,
  }
}

/** Returns the index after the value's end; null if it is not in `chunk`. */
export function consumeChunk(value: Extent, chunk: Buffer, from: number): number | null {
  const end = value.isScalar ? scalarEnd(chunk, from) : nestedEnd(value, chunk, from)
  const bytes = chunk.subarray(from, end ?? chunk.length)
  value.size += bytes.length
  if (value.size > value.maxBytes) value.parts = null
  // The reader reuses the memory of the chunk.
  value.parts?.push(end === null ? Buffer.from(bytes) : bytes)
  return end
}

function scalarEnd(chunk: Buffer, from: number): number | null {
  for (let at = from; at < chunk.length; at++) {
    const byte = chunk[at] ?? 0
    if (byte <= BLANK || byte === COMMA || byte === LIST_END || byte === OBJECT_END) return at
  }
  return null
}

function nestedEnd(value: Extent, chunk: Buffer, from: number): number | null {
  let { depth, inString, isEscaped } = value
  for (let at = from; at < chunk.length; at++) {
    const byte = chunk[at]
    if (inString) {
      if (isEscaped) isEscaped = false
      else if (byte === BACKSLASH) isEscaped = true
      else if (byte === QUOTE) {
        inString = false
        if (depth === 0) return at + 1
      }
    } else if (byte === QUOTE) inString = true
    else if (byte === OBJECT || byte === LIST) depth += 1
    else if (byte === OBJECT_END || byte === LIST_END) {
      depth -= 1
      if (depth === 0) return at + 1
    } else if (byte === NEWLINE) {
      value.lines += 1
      value.lineStart = value.size + at - from + 1
    }
  }
  Object.assign(value, { depth, inString, isEscaped })
  return null
}
