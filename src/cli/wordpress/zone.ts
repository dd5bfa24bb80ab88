/**
 * The time zone of a blog. An export does not name it, but most items have their times in it and in UTC, so that it is known
 * what it was on a day.
 */
import { readDate } from '../convert/values.ts'
import type { Item } from './export-file.ts'

const DAY_MS = 86_400_000
const QUARTER_MS = 15 * 60_000
const MAX_OFFSET_MS = 14 * 3_600_000

export type Zone = {
  add(item: Item): void
  /** The instant of a time of the blog, with the offset that is known of the nearest day; null if none is. */
  instantOf(local: string): Date | null
}

export function openZone(): Zone {
  /** By day, each in milliseconds. */
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

/** `0000-00-00 00:00:00` is no date: there is none yet, or none in UTC. */
export function wordPressDate(text = ''): Date | null {
  return readDate(text.trim())
}
