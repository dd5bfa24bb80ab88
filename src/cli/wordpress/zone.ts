/** Derives a blog's UTC offset of each day from items with both local and UTC times: exports don't name the zone. */
import { readDate } from '../import/values.ts'
import type { Item } from './export-file.ts'

const DAY_MS = 86_400_000
const QUARTER_MS = 15 * 60_000
const MAX_OFFSET_MS = 14 * 3_600_000

export type Zone = {
  add(item: Item): void
  /** Uses the known offset of the nearest day; null if none is known. */
  instantOf(local: string): Date | null
}

export function openZone(): Zone {
  const offsets = new Map<number, number>()

  return {
    add({ fields }) {
      for (const name of ['wp:post_date', 'wp:post_modified']) {
        const local = wordPressDate(fields[name])
        const utc = wordPressDate(fields[`${name}_gmt`])
        if (!local || !utc) continue
        const offset = local.getTime() - utc.getTime()
        if (offset % QUARTER_MS !== 0 || Math.abs(offset) > MAX_OFFSET_MS) continue
        offsets.set(Math.floor(local.getTime() / DAY_MS), offset)
      }
    },
    instantOf(local) {
      const at = wordPressDate(local)?.getTime()
      if (at === undefined) return null
      const day = at / DAY_MS
      let nearest: number | undefined
      for (const known of offsets.keys()) {
        if (nearest === undefined || Math.abs(known - day) < Math.abs(nearest - day)) nearest = known
      }
      return nearest === undefined ? null : new Date(at - (offsets.get(nearest) ?? 0))
    },
  }
}

/** `0000-00-00 00:00:00` means that the date is not set. */
export function wordPressDate(text = ''): Date | null {
  return readDate(text.trim())
}
