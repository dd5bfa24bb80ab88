/** Initials in a colored shape: a circle for a person, a square for a site. Decorative, since the name stands beside it. */
const HUES = 6

export function Avatar({ name, isSite = false }: { name: string; isSite?: boolean }) {
  const shape = isSite ? 'avatar square' : 'avatar'
  return (
    <span class={`${shape} hue-${hueOf(name)}`} aria-hidden="true">
      {initialsOf(name)}
    </span>
  )
}

/** The first letters of the first and last words, or the first two of a single word. An address counts up to its @. */
function initialsOf(name: string): string {
  const words = name.split('@')[0]!.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu) ?? []
  const picked =
    words.length > 1
      ? [words[0]!, words.at(-1)!].map((word) => [...word][0])
      : [...(words[0] ?? '?')].slice(0, 2)
  return picked.join('').toUpperCase()
}

const hueOf = (name: string) =>
  [...name].reduce((sum, char) => (sum * 31 + char.codePointAt(0)!) % 997, 7) % HUES
