import { Option } from 'commander'
import type { Item } from '../../transfer/routes.ts'
import type { Verb } from '../command.ts'
import { list } from '../output.ts'

type Used = Item<'GET /sites/{siteId}/usage'>

const COLUMNS = {
  period: ({ period }: Used) => period,
  requests: ({ requests }: Used) => requests,
  key: ({ key }: Used) => (key ? (key.name ?? 'gone') : 'without a key'),
  'key id': ({ key }: Used) => key?.id,
}

export const USAGE: Verb = {
  usage: 'usage <site>',
  description: 'count requests by month and key, newest first',
  flags: [new Option('--month <month>', 'by day, for one month, for example 2026-11')],
  async work(_io, api, args, filter) {
    const { items } = await api('GET /sites/{siteId}/usage', args, { query: filter })
    return list(items, COLUMNS, 'No requests')
  },
}
