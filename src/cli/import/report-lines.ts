import type { Image } from '../../transfer/report.ts'
import type { Loss } from '../../transfer/source.ts'
import type { Weight } from './losses.ts'
import { mediaKind } from './media-kinds.ts'

const MAX_DETAILS = 5

const LABELS: Record<Weight, string> = {
  dropped: 'Not imported',
  changed: 'Changed',
  minor: 'Minor',
}

/** Escapes line breaks in file names and other text. */
export function oneLine(text: string): string {
  return text.replace(/\p{Cc}/gu, (control) => JSON.stringify(control).slice(1, -1))
}

/** Losses of one field for one reason: the first few in `details`, and the number of the rest. */
export type LossGroup = {
  first: string
  last: string
  files: number
  times: number
  field: string
  reason: string
  details: Set<string>
  more: number
  add(loss: Loss): void
}

export function lossGroupOf({ file, field, reason, detail }: Loss): LossGroup {
  return {
    first: file,
    last: file,
    files: 1,
    times: 1,
    field,
    reason,
    details: new Set(detail === undefined ? [] : [detail]),
    more: 0,
    add({ file, detail }) {
      this.files += this.last === file ? 0 : 1
      this.times += 1
      this.last = file
      if (detail === undefined || this.details.has(detail)) return
      if (this.details.size < MAX_DETAILS) this.details.add(detail)
      else this.more += 1
    },
  }
}

export function lossLine(weight: Weight, { first, files, field, reason, details, more }: LossGroup): string {
  const where = files === 1 ? first : `${files} files, the first is ${first}`
  const which = details.size === 0 ? '' : `: ${[...details].join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  return `${LABELS[weight]}: ${field} (${where}): ${reason}${which}`
}

/** For a page that has words of its own. */
export type LossFacts = Pick<LossGroup, 'first' | 'files' | 'field' | 'reason' | 'more'> & {
  details: string[]
}

export function lossFacts({ first, files, field, reason, details, more }: LossGroup): LossFacts {
  return { first, files, field, reason, details: [...details], more }
}

export function imageLine({ file, src, to }: Image): string {
  return `${mediaKind(src) === 'other' ? 'File' : 'Image'} in ${file}: ${src}${to === null ? ' is unchanged' : ` is now ${to}`}`
}

export function imagesLine({ all, moved }: { all: number; moved: number }): string {
  return `${all} images and other files, ${moved} with a new address; --report FILE lists them`
}
