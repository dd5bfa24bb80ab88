/** Reads HTML token by token without a tree, so that time is linear in length, however badly tags are nested. */
import { Tokenizer } from 'htmlparser2'

type Callbacks = ConstructorParameters<typeof Tokenizer>[1]

const noop = () => {}
const IGNORED: Callbacks = {
  onattribdata: noop,
  onattribend: noop,
  onattribentity: noop,
  onattribname: noop,
  oncdata: noop,
  onclosetag: noop,
  oncomment: noop,
  ondeclaration: noop,
  onend: noop,
  onopentagend: noop,
  onopentagname: noop,
  onprocessinginstruction: noop,
  onselfclosingtag: noop,
  ontext: noop,
  ontextentity: noop,
}

export function eachToken(html: string, callbacks: Partial<Callbacks>, { decodeEntities = true } = {}): void {
  const tokenizer = new Tokenizer({ xmlMode: false, decodeEntities }, { ...IGNORED, ...callbacks })
  tokenizer.write(html)
  tokenizer.end()
}
