/** Which folder names are languages. */
const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })
/** Those of three letters that sites have. The others in CLDR are words, too: `src`, `new`, `car` and hundreds more. */
const THREE_LETTERS = new Set(
  `ast bho brx ceb chr ckb cnr csb doi dsb fil fur gsw haw hsb kab kmr kok lij mai mni nds sah scn szl vec yue
  zgh`.split(/\s+/),
)
const known = new Map<string, boolean>()

/** Whether a name is the tag of a language in CLDR: `pt-br` is, `npm` and `release` are not. */
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

/** `pt_BR`, as some generators write it, is `pt-BR`. */
export function languageTag(name: string): string {
  return name.replaceAll('_', '-')
}

/** Splits a path at its first folder that is named after a language; `rest` is the path without it. */
export function splitLanguage(path: string): { language: string | undefined; rest: string } {
  const parts = path.split('/')
  const at = parts.slice(0, -1).findIndex(isLanguage)
  if (at < 0) return { language: undefined, rest: path }
  return { language: languageTag(parts[at] ?? ''), rest: parts.toSpliced(at, 1).join('/') }
}
