import { sha256Hex } from './digest.ts'

/** Our ids, in lower case, as Postgres writes them. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The id of nothing. */
export const NO_ID = '00000000-0000-0000-0000-000000000000'

/** A UUID of version 8 that stands for a text, made of its SHA-256. */
export async function uuidOf(text: string): Promise<string> {
  const hash = await sha256Hex(text)
  return hash.slice(0, 32).replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-8$3-8$4-')
}
