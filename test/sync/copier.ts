/** A process that keeps copies of a site with the client, over and over, until it is killed. */

import { folderStore } from '../../src/sdk/client/folder.ts'
import { sqliteStore } from '../../src/sdk/client/sqlite.ts'
import { type Client, createClient, type Store } from '../../src/sdk/client.ts'

export type Task = { folder: string; sqlite: string; origins: string[]; site: string; key: string }

export function open({ folder, sqlite, origins, site, key }: Task): { stores: Store[]; clients: Client[] } {
  return {
    stores: [folderStore(folder), sqliteStore(sqlite)],
    clients: origins.map((url) => createClient({ url, site, key })),
  }
}

if (import.meta.main) {
  const { stores, clients } = open(JSON.parse(process.argv[2]!))
  const oneOf = <Item>(items: Item[]) => items[Math.floor(Math.random() * items.length)]!
  console.log('started')
  for (;;) await oneOf(clients).sync(oneOf(stores), { limit: 10 })
}
