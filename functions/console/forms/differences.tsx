import { differencesOf, type Part } from './difference.ts'
import { toLines } from './three-way-merge.ts'

/** Null if the texts have nothing in common. */
export function compareTexts(theirs: string, mine: string): Part[] | null {
  const isProse = [theirs, mine].every((value) => /[\s<]/.test(value.trim()))
  const parts = isProse ? differencesOf(toLines(theirs), toLines(mine)) : []
  return parts.some(({ in: version, text }) => version === 'both' && text.trim() !== '') ? parts : null
}

export function Differences({ parts }: { parts: Part[] }) {
  return (
    // It may scroll, so it needs keyboard focus.
    <div class="difference box" dir="auto" tabindex={0}>
      {parts.map(({ in: version, text }) =>
        version === 'both' ? text : version === 'theirs' ? <del>{text}</del> : <ins>{text}</ins>,
      )}
    </div>
  )
}
