/** Streams XML. Ignores declared entities, so that a document cannot expand or fetch anything. */
import { TextDecoder } from 'node:util'
import { Tokenizer } from 'htmlparser2'
import { open } from '../files.ts'

const CHUNK_BYTES = 64 * 1024
/** The text of a longer token is null. */
const MAX_TOKEN_LENGTH = 8 * 1024 * 1024

export type XmlHandler = {
  open(name: string, attributes: Record<string, string>): void
  /** Part of the text of the innermost element; null if it is too long. */
  text(text: string | null): void
  close(name: string): void
  /** Content of `<!…>`, for example `DOCTYPE rss`. */
  declaration(text: string): void
}

/** Yields the number of bytes read after each chunk. */
export async function* readXml(path: string, handler: XmlHandler): AsyncGenerator<number> {
  await using file = await open(path)
  const buffer = Buffer.alloc(CHUNK_BYTES)
  let decoder: TextDecoder | undefined
  let bytes = 0
  const { write, end } = xmlReader(handler)
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, null)
    if (bytesRead === 0) break
    bytes += bytesRead
    const chunk = buffer.subarray(0, bytesRead)
    decoder ??= decoderFor(chunk)
    write(decoder.decode(chunk, { stream: true }))
    yield bytes
  }
  end()
  yield bytes
}

function decoderFor(start: Uint8Array): TextDecoder {
  const declaration = new TextDecoder('latin1').decode(start.subarray(0, 200))
  const name = /^[^<]*<\?xml[^>]*\sencoding=["']([\w-]+)["']/.exec(declaration)?.[1]
  try {
    return new TextDecoder(name ?? 'utf-8')
  } catch {
    return new TextDecoder()
  }
}

/** The tokenizer reports positions; this keeps the text that they may refer to. */
function xmlReader(handler: XmlHandler) {
  let kept = ''
  let keptFrom = 0
  let read = 0
  let used = 0
  const slice = (from: number, to: number): string | null => {
    used = to
    return from < keptFrom ? null : kept.slice(from - keptFrom, to - keptFrom)
  }
  let name = ''
  let attributes: Record<string, string> = {}
  let attribute = ''
  const noop = () => {}
  const opened = () => handler.open(name, attributes)
  const addToAttribute = (text: string) => {
    attributes[attribute] = (attributes[attribute] ?? '') + text
  }
  const tokenizer = new Tokenizer(
    { xmlMode: true, decodeEntities: true },
    {
      onopentagname(start, end) {
        name = slice(start, end) ?? ''
        attributes = {}
      },
      onattribname(start, end) {
        attribute = slice(start, end) ?? ''
      },
      onattribdata: (start, end) => addToAttribute(slice(start, end) ?? ''),
      onattribentity: (codepoint) => addToAttribute(String.fromCodePoint(codepoint)),
      onattribend: noop,
      onopentagend: opened,
      onselfclosingtag() {
        opened()
        handler.close(name)
      },
      onclosetag: (start, end) => handler.close(slice(start, end) ?? ''),
      ontext: (start, end) => handler.text(slice(start, end)),
      ontextentity: (codepoint) => handler.text(String.fromCodePoint(codepoint)),
      oncdata: (start, end, offset) => handler.text(slice(start, end - offset)),
      ondeclaration: (start, end) => handler.declaration(slice(start, end) ?? ''),
      oncomment: noop,
      onprocessinginstruction: noop,
      onend: noop,
    },
  )

  return {
    write(chunk: string): void {
      if (used > keptFrom) {
        kept = kept.slice(used - keptFrom)
        keptFrom = used
      }
      if (kept.length > MAX_TOKEN_LENGTH) {
        kept = ''
        keptFrom = read
      }
      kept += chunk
      read += chunk.length
      tokenizer.write(chunk)
    },
    end: () => tokenizer.end(),
  }
}
