/** The parts of a page that readers do not see, or see twice: one list for importers, excerpts and descriptions. */
import { wordSet } from './nesting.ts'

/** Undefined for a missing attribute. Values are decoded. */
export type Attributes = (name: string) => string | undefined

export const HIDING_ATTRIBUTES = new Set(['aria-hidden', 'class', 'hidden', 'open', 'style'])

/** Elements that browsers don't show, or only as a fallback. */
export const UNREAD = wordSet('script style template noscript noembed noframes')
/** A formula in another language. */
const ANNOTATIONS = new Set(['annotation', 'annotation-xml'])
/** The second copy of a picture in WordPress 6.4. */
const COPY = 'wp-lightbox-overlay'
const FOR_SCREEN_READERS = new Set([
  ...['screen-reader-text', 'screen-reader-only', 'sr-only', 'visually-hidden', 'visuallyhidden'],
  ...['assistive-text', 'show-for-sr', 'u-visually-hidden', 'u-screen-reader-text', 'a11y-text'],
])
/** `aria-hidden` on these is a closed panel or slide, which readers open; on others it is an icon or a copy. */
const CONTAINERS = wordSet(
  `address article aside blockquote body details div dl dd dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header
  img li main nav ol p picture pre section table tbody td th thead tr ul video`,
)

export function isDuplicate(name: string, attribute: Attributes): boolean {
  return ANNOTATIONS.has(name) || classesOf(attribute).includes(COPY)
}

/** Counts `hidden="until-found"` as seen, because a search in the page opens it. */
export function isHidden(name: string, attribute: Attributes): boolean {
  if (isDuplicate(name, attribute)) return true
  const style = declarations(attribute('style'))
  const display = style.get('display')
  if (display === 'none' || /^(?:hidden|collapse)$/.test(style.get('visibility') ?? '')) return true
  if (isOffScreen(style) || (name === 'dialog' && attribute('open') === undefined)) return true
  const hidden = attribute('hidden')
  if (hidden !== undefined && !display && hidden.trim().toLowerCase() !== 'until-found') return true
  if (classesOf(attribute).some((each) => FOR_SCREEN_READERS.has(each))) return true
  return isAriaHidden(attribute) && !CONTAINERS.has(name)
}

/** Visible but hidden from screen readers, for example an icon next to its text. */
export function isAriaHidden(attribute: Attributes): boolean {
  return attribute('aria-hidden')?.trim().toLowerCase() === 'true'
}

/** KaTeX's copy of a formula that is also in MathML. */
export function isKatexHtml(attribute: Attributes): boolean {
  return classesOf(attribute).includes('katex-html')
}

export function classesOf(attribute: Attributes): string[] {
  return attribute('class')?.split(/\s+/).filter(Boolean) ?? []
}

function isOffScreen(style: Map<string, string>): boolean {
  if (!/^(?:absolute|fixed)$/.test(style.get('position') ?? '')) return false
  return ['left', 'right', 'top', 'bottom'].some((side) =>
    /^-(?:999|\d{4,})(?:px|r?em)$/.test(style.get(side) ?? ''),
  )
}

function declarations(style = ''): Map<string, string> {
  const plain = style.replace(/\/\*[\s\S]*?\*\//g, '').toLowerCase()
  return new Map(
    plain.split(';').flatMap((declaration) => {
      const [property = '', ...value] = declaration.split(':')
      return value.length === 0
        ? []
        : [
            [
              property.trim(),
              value
                .join(':')
                .replace(/!\s*important/, '')
                .trim(),
            ] as const,
          ]
    }),
  )
}
