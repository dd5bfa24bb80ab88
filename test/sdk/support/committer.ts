/**
 * A process that increments the counter in a store until it has printed `TIMES` lines or is killed: the state is the sum,
 * and so is the title of each post.
 */

import { folderStore } from '../../../src/sdk/client/folder.ts'
import { sqliteStore } from '../../../src/sdk/client/sqlite.ts'
import type { Store } from '../../../src/sdk/client.ts'
import { commit, post } from './content.ts'

const [kind, path, times, posts] = process.argv.slice(2)
const store: Store = kind === 'folder' ? folderStore(path!) : sqliteStore(path!)

for (let done = 0; done < Number(times); ) {
  const from = await store.state()
  const sum = String(Number(from) + 1)
  const put = Array.from({ length: Number(posts) }, (_, i) => post(`counter-${i}`, sum))
  const isMine = await store.commit(commit(from, sum, { put }))
  if (!isMine) continue
  done++
  console.log(sum)
}
