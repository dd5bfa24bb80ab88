/** Media whose address a script sets when they scroll into view. */
import type { TreeNode } from './tree.ts'

const SOURCES = [
  ...['dataSrc', 'dataLazySrc', 'dataOriginal', 'dataLazy', 'dataLazyload', 'dataLitespeedSrc', 'dataEzsrc'],
  ...['dataEcho', 'dataCfsrc', 'dataOptSrc', 'dataOrigSrc', 'dataWpfcOriginalSrc', 'dataPagespeedLazySrc'],
]
const SETS = [
  'dataSrcset',
  'dataLazySrcset',
  'dataOriginalSet',
  'dataLitespeedSrcset',
  'dataEzsrcset',
  'dataOrigSrcset',
]
const SIZES = ['dataSizes', 'dataLazySizes', 'dataLitespeedSizes']
const MEDIA = new Set(['img', 'iframe', 'video', 'audio', 'source', 'embed'])
/** Placeholder in `src` until then. */
const PLACEHOLDER =
  /^(?:data:|about:|javascript:|#|$)|\b(?:1x1|blank|grey|lazy|lazyload|loader|loading|pixel|placeholder|spacer|transparent)[^/]*$/i

export function isMedia(node: TreeNode): boolean {
  return MEDIA.has(node.tagName ?? '') && node.tagName !== 'source'
}

/** Sets the addresses. Returns true if a script would have. */
export function loadLazy({ tagName = '', properties }: TreeNode): boolean {
  if (!MEDIA.has(tagName) || !properties) return false
  const isLazy = /\b(?:b-)?lazy|\blozad\b/i.test([properties.className].flat().join(' '))
  const given = (names: string[]) => names.map((name) => text(properties[name])).find(Boolean)
  const src = given(SOURCES.filter((name) => !/^(?:data|javascript):/i.test(text(properties[name]))))
  const set = given(SETS)
  if (src && (isLazy || PLACEHOLDER.test(text(properties.src)))) properties.src = src
  if (set && (isLazy || PLACEHOLDER.test(text(properties.srcSet)) || /^data:/i.test(text(properties.srcSet))))
    properties.srcSet = set
  if (/^data:/i.test(text(properties.srcSet))) delete properties.srcSet
  if (text(properties.sizes) === 'auto') delete properties.sizes
  const sizes = given(SIZES)
  if (sizes && sizes !== 'auto' && !properties.sizes) properties.sizes = sizes
  if (tagName === 'video' && !properties.poster && properties.dataPoster)
    properties.poster = properties.dataPoster
  const isWithout = tagName === 'img' && /^(?:data:|about:|#|$)/i.test(text(properties.src))
  if (isWithout && !src && properties.srcSet && (set || properties.src))
    properties.src = largestOf(text(properties.srcSet))
  return src !== undefined || set !== undefined
}

export function isPlaceholder({ tagName, properties = {} }: TreeNode): boolean {
  return tagName === 'img' && PLACEHOLDER.test(text(properties.src))
}

/** Images of one pixel are for tracking. */
export function isPixel({ properties = {} }: TreeNode): boolean {
  return ['width', 'height'].some((name) => properties[name] !== undefined && Number(properties[name]) <= 1)
}

export function addressOf({ properties = {} }: TreeNode): string {
  return text(properties.src)
    .replace(/[?#].*$/s, '')
    .replace(/^https?:/i, '')
    .replace(/-(?:\d+x\d+|scaled)(?=\.\w+$)/, '')
}

function largestOf(set: string): string {
  const candidates = set.split(/,\s+|,(?=https?:)/).map((each) => {
    const [url = '', size = '1x'] = each.trim().split(/\s+/)
    return { url, size: Number.parseFloat(size) || 0 }
  })
  return candidates.reduce((best, each) => (each.size > best.size ? each : best)).url
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.trim() : Array.isArray(value) ? value.join(', ') : ''
}
