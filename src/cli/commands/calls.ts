/** Verbs that call one operation: their arguments fill its path in order, and their flags are sent. */
import type { Option } from 'commander'
import type { Answer, Item, Route } from '../../transfer/routes.ts'
import { type ListRoute, listAll } from '../client.ts'
import type { Verb } from '../command.ts'
import { list } from '../output.ts'

type Usage = { usage: string; description: string; flags?: Option[] }

type Call<R extends Route> = Usage & {
  route: R
  /** Changes the flags. */
  body?: (flags: Record<string, unknown>) => object
  /** Output of --json, if not the whole response. */
  json?: (answer: Answer<R>, args: string[]) => unknown
  text: (answer: Answer<R>, args: string[]) => string
  complete?: (answer: Answer<R>) => boolean
}

type List<R extends ListRoute> = Usage & {
  route: R
  columns: Record<string, (item: Item<R>) => unknown>
  /** Each item for --json, if not the whole item. */
  json?: (item: Item<R>) => Item<R>
  none: string
  /** Replaces `none` when a filter was given. */
  noSuch?: string
}

/** The flags are the body. */
export function call<R extends Route>({ route, body, json, text, complete, ...usage }: Call<R>): Verb {
  return {
    ...usage,
    async work(_io, api, args, flags) {
      const answer = await api(route, args, usage.flags && { body: body?.(flags) ?? flags })
      return {
        json: json ? json(answer, args) : answer,
        text: text(answer, args),
        ...(complete && { complete: complete(answer) }),
      }
    },
  }
}

/** The flags are the filters. */
export function listed<R extends ListRoute>(row: List<R>): Verb {
  const { route, columns, json = (item) => item, none, noSuch = none, ...usage } = row
  return {
    ...usage,
    async work(_io, api, args, { limit, ...flags }) {
      const filter = Object.fromEntries(Object.entries<string>(flags).filter(([, value]) => value))
      const items = await listAll(api, route, args, { ...filter, limit })
      return list(items.map(json), columns, Object.keys(filter).length > 0 ? noSuch : none)
    },
  }
}
