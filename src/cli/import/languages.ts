/** Recognises folder names that are languages. */
const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })
/** Three-letter languages that sites use. CLDR's others include words like `src`, `new` and `car`. */
const THREE_LETTERS = new Set(
  `ast bho brx ceb chr ckb cnr csb doi dsb fil fur gsw haw hsb kab kmr kok lij mai mni nds sah scn szl vec yue
  zgh`.split(/\s+/),
)
const known = new Map<string, boolean>()

/** `pt-br` is a language in CLDR, `npm` and `release` are not. */
export function isLanguage(name: string): boolean {
  const is = known.get(name) ?? isInCldr(name)
  known.set(name, is)
  return is
}

function isInCldr(name: string): boolean {
  const [primary = ''] = languageTag(name).toLowerCase().split('-')
  if (primary.length > 2 && !THREE_LETTERS.has(primary)) return false
  try {
    return names.of(languageTag(name)) !== undefined
  } catch {
    return false
  }
}

/** Some generators write `pt_BR`. */
export function languageTag(name: string): string {
  return name.replaceAll('_', '-')
}

export function splitLanguage(path: string): { language: string | undefined; rest: string } {
  const parts = path.split('/')
  const at = parts.slice(0, -1).findIndex(isLanguage)
  if (at < 0) return { language: undefined, rest: path }
  return { language: languageTag(parts[at] ?? ''), rest: parts.toSpliced(at, 1).join('/') }
}
