/** Encrypts cursors that hold a number shared by all sites, so that nobody can count the writes at other sites. */
import type { Config } from '../core/config.ts'
import { decrypt, encrypt } from './encryption.ts'

/** The result needs no escaping in a query. */
export async function sealCursor(config: Config, list: string, position: string): Promise<string> {
  const [id, ...parts] = (await encrypt(config, `cursor:${list}`, position)).split('.')
  const safe = parts.map((part) => part.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''))
  return [id, ...safe].join('.')
}

/** Null for a cursor that we did not seal for this list. */
export async function openCursor(config: Config, list: string, cursor: string): Promise<string | null> {
  const [id, ...parts] = cursor.split('.')
  const encrypted = [id, ...parts.map((part) => part.replaceAll('-', '+').replaceAll('_', '/'))].join('.')
  return decrypt(config, `cursor:${list}`, encrypted).catch(() => null)
}
