/** Commands that mount file systems of their own, which nobody else sees and which go with them. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const WAYS = [
  // For anybody, unless namespaces of users are forbidden.
  ['unshare', '-rm'],
  // For root, where it may mount.
  ['unshare', '-m'],
] as const

/** How such a command begins. Undefined where there is no way, as on other systems than Linux. */
export const mounting = WAYS.find(canMount)

function canMount([command, options]: (typeof WAYS)[number]): boolean {
  const place = mkdtempSync(join(tmpdir(), 'mount-'))
  const { status } = spawnSync(command, [options, 'mount', '-t', 'tmpfs', 'none', place])
  rmdirSync(place)
  return status === 0
}
