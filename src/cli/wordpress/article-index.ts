/** Articles by slug, id and path. Columns and shared texts save memory: large blogs have some hundred thousand. */

import type { ArticleKind } from '../../content/model/article-filters.ts'
import { slugChooser, withPrefix, withSuffix } from '../../transfer/slug.ts'

export type Row = {
  number: number
  /** 0 if unknown. */
  id: number
  kind: ArticleKind
  slug: string
  /** True if its URL has been public. */
  isPublic: boolean
  language: string | undefined
  /** For example `/2024/05/hello`; empty if unknown. */
  path: string
}

export type Indexed = { number: number; kind: ArticleKind; slug: string; language: string | undefined }
/** The article with the number `rival` keeps the slug. */
export type Moved = { wanted: string; rival: number }

export type ArticleIndex = {
  count: number
  /** Requires ascending numbers. */
  byNumber(number: number): Indexed | undefined
  byId(id: number): Indexed | undefined
  byPath(path: string): Indexed | undefined
  moved: ReadonlyMap<number, Moved>
  /** Duplicates: from the number of each later article with an id to that of the first. */
  repeated: ReadonlyMap<number, number>
}

const PUBLIC = 1
const GUIDE = 2

export function articleIndexBuilder() {
  const numbers = column()
  const ids = column()
  const flags = column()
  const languages = column()
  const folders = column()
  const slugs: string[] = []
  const names: string[] = []
  const languageNames = interning()
  const folderNames = interning()

  return {
    add({ number, id, kind, slug, isPublic, language, path }: Row): void {
      const slash = path.lastIndexOf('/')
      const name = path.slice(slash + 1)
      const own = copyOf(slug)
      numbers.push(number)
      ids.push(id)
      flags.push((isPublic ? PUBLIC : 0) | (kind === 'guides' ? GUIDE : 0))
      languages.push(languageNames.add(language ?? ''))
      folders.push(folderNames.add(path.slice(0, Math.max(0, slash))))
      slugs.push(own)
      names.push(name === own ? own : copyOf(name))
    },

    build(language: string): ArticleIndex {
      const all = Uint32Array.from({ length: slugs.length }, (_, slot) => slot)
      const byId = all.toSorted((a, b) => ids.at(a) - ids.at(b) || a - b)
      const repeated = new Map<number, number>()
      const isRepeated = (slot: number) => repeated.has(numbers.at(slot))
      for (let at = 1; at < byId.length; at++) {
        const [before = 0, slot = 0] = byId.subarray(at - 1, at + 1)
        const id = ids.at(slot)
        if (id > 0 && id === ids.at(before)) {
          repeated.set(numbers.at(slot), repeated.get(numbers.at(before)) ?? numbers.at(before))
        }
      }
      const kindOf = (slot: number): ArticleKind => (flags.at(slot) & GUIDE ? 'guides' : 'posts')
      const ownLanguage = (slot: number) => languageNames.at(languages.at(slot)) || undefined
      const moved = makeUnique()
      const byName = all.toSorted((a, b) => compare(names[a] ?? '', names[b] ?? '') || a - b)

      const indexed = (slot: number | undefined): Indexed | undefined =>
        slot === undefined || isRepeated(slot)
          ? undefined
          : {
              number: numbers.at(slot),
              kind: kindOf(slot),
              slug: slugs[slot] ?? '',
              language: ownLanguage(slot) ?? language,
            }

      return {
        count: slugs.length - repeated.size,
        moved,
        repeated,
        byNumber: (number) => indexed(all[firstOf(all, (slot) => numbers.at(slot) - number)]),
        byId: (id) => (id > 0 ? indexed(byId[firstOf(byId, (slot) => ids.at(slot) - id)]) : undefined),
        byPath(path) {
          const slash = path.lastIndexOf('/')
          const name = path.slice(slash + 1)
          if (name === '') return undefined
          const folder = path.slice(0, Math.max(0, slash))
          const first = firstOf(byName, (slot) => compare(names[slot] ?? '', name))
          for (const slot of first < 0 ? [] : byName.subarray(first)) {
            if (names[slot] !== name) return undefined
            if (folderNames.at(folders.at(slot)) === folder && !isRepeated(slot)) return indexed(slot)
          }
          return undefined
        },
      }

      /**
       * A contested slug goes to a public article, or else to the first. Others get their language (translations) or id as
       * a suffix, or their folder as a prefix (pages).
       */
      function makeUnique(): Map<number, Moved> {
        const bySlug = all
          .filter((slot) => !isRepeated(slot))
          .sort(
            (a, b) =>
              (flags.at(a) & GUIDE) - (flags.at(b) & GUIDE) ||
              compare(slugs[a] ?? '', slugs[b] ?? '') ||
              (flags.at(b) & PUBLIC) - (flags.at(a) & PUBLIC) ||
              a - b,
          )
        const newSlugs = new Map<number, string>()
        const taken = new Set<string>()
        const moved = new Map<number, Moved>()
        const chooserFor = (kind: ArticleKind) =>
          slugChooser((slug) => {
            const order = (other: number) =>
              (flags.at(other) & GUIDE) - (kind === 'guides' ? GUIDE : 0) || compare(slugs[other] ?? '', slug)
            return taken.has(`${kind} ${slug}`) || firstOf(bySlug, order) >= 0
          })
        const chooseSlug = { posts: chooserFor('posts'), guides: chooserFor('guides') }
        let holder = bySlug[0] ?? 0
        for (const slot of bySlug.subarray(1)) {
          const wanted = slugs[slot] ?? ''
          if (kindOf(slot) !== kindOf(holder) || wanted !== slugs[holder]) {
            holder = slot
            continue
          }
          const slug = chooseSlug[kindOf(slot)](wanted, otherSlugs(slot, holder, wanted))
          newSlugs.set(slot, slug)
          taken.add(`${kindOf(slot)} ${slug}`)
          moved.set(numbers.at(slot), { wanted, rival: numbers.at(holder) })
        }
        for (const [slot, slug] of newSlugs) slugs[slot] = slug
        return moved
      }

      function otherSlugs(slot: number, holder: number, slug: string): string[] {
        const own = ownLanguage(slot)
        const folder =
          kindOf(slot) === 'guides' ? folderNames.at(folders.at(slot)).split('/').at(-1) : undefined
        return [
          ...(own && own !== ownLanguage(holder) ? [withSuffix(slug, own)] : []),
          ...(folder ? [withPrefix(folder, slug)] : []),
          withSuffix(slug, String(ids.at(slot))),
        ]
      }
    },
  }
}

/** Takes a tenth of the memory of objects. */
function column() {
  let values = new Float64Array(1_024)
  let length = 0
  return {
    push(value: number): void {
      if (length === values.length) {
        const larger = new Float64Array(length * 2)
        larger.set(values)
        values = larger
      }
      values[length++] = value
    },
    at: (index: number) => values[index] ?? 0,
  }
}

function interning() {
  const texts: string[] = []
  const indexes = new Map<string, number>()
  return {
    add(text: string): number {
      const known = indexes.get(text)
      if (known !== undefined) return known
      const own = copyOf(text)
      indexes.set(own, texts.length)
      return texts.push(own) - 1
    },
    at: (index: number) => texts[index] ?? '',
  }
}

/** Binary search for the first position where `order` is 0; -1 if there is none. */
function firstOf(sorted: Uint32Array, order: (slot: number) => number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (order(sorted[middle] ?? 0) < 0) low = middle + 1
    else high = middle
  }
  const slot = sorted[low]
  return slot !== undefined && order(slot) === 0 ? low : -1
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** A substring keeps the whole string in memory, which may be a chunk of a file. */
export function copyOf(text: string): string {
  return Buffer.from(text).toString()
}
