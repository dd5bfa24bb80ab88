/** Notices: `?done=` names what a form has done, and the page that it redirects to says it. */
import type { Http } from '../../http/env.ts'
import { type Added, addQuery } from '../parent-list.ts'
import { useRequestContext } from '../request-context.ts'
import { redirectInSite } from '../site.ts'
import { Success } from './success.tsx'

const madeBefore = (what: 'link' | 'token') =>
  `That ${what} had been created already, so no second one was. If you did not see it, revoke it and create another.`

const EDITED = { edited: 'Saved.', unedited: 'Nothing was changed, so nothing was saved.' }

/** By page. */
export const DONE = {
  sites: {
    deleted: 'The site is deleted.',
    deleting: 'The site can no longer be opened. Its content is still being deleted.',
  },
  people: {
    removed: 'Removed: their tokens, sessions and preview links have ended.',
    changed: 'Saved. It applies from their next request.',
    created: madeBefore('token'),
    linked: madeBefore('link'),
    mailed: 'The link is mailed. It signs in once, within a day.',
    linkRevoked: 'The link is revoked: it signs in nobody, and what it signed in has ended.',
    revoked: 'The token is revoked, with those made with it, and the sessions they signed in have ended.',
  },
  posts: { deleted: 'The post is deleted.' },
  post: {
    published: 'Published: the post is in the sitemap now.',
    unpublished: 'Unpublished: the post is a draft again, and no longer in the sitemap.',
    renamed: 'The slug is changed: the API has the post at its new one only.',
    stayed: 'Nothing was undone: the post was changed since.',
    ...EDITED,
    scheduled: 'Scheduled.',
    unscheduled: 'The schedule is cancelled: the draft stays a draft.',
    requested: 'Changes are requested.',
    resolved: 'Resolved: no changes are requested any more.',
    already: 'The draft was already marked ready, so nothing is sent again.',
    linked: madeBefore('link'),
    revoked: 'The link is revoked and no longer opens anything.',
  },
  guides: { deleted: 'The guide is deleted.' },
  guide: {
    published: 'Published: the API and the sitemap show the guide now.',
    unpublished: 'Unpublished: the guide is a draft again, and neither the API nor the sitemap shows it.',
    renamed: 'The slug is changed: the API has the guide at its new one only.',
    stayed: 'Nothing was undone: the guide was changed since.',
    ...EDITED,
  },
  redirects: {
    saved: 'The redirect is saved.',
    removed: 'The redirect is removed: its address no longer leads anywhere.',
  },
  trainingRows: { deleted: 'The training row is deleted.' },
  trainingRow: {
    in: 'The row is opted in.',
    out: 'The row is opted out: the next export leaves it out.',
  },
  integrations: {
    saved: 'The webhook URL is saved.',
    removed: 'The webhook is removed. Nothing more is sent.',
  },
  deliveries: {
    began: 'Sending again has begun.',
    joined: 'That was begun already, and goes on. Each event is sent once.',
    none: 'Nothing that failed is left to be sent: it has arrived by now, or its webhook is gone.',
  },
  settings: {
    saved: 'The settings are saved.',
  },
  sitemap: {
    published: 'The sitemap is published.',
    renewed: 'The sitemap has new URLs. The old ones give 404.',
    stopped: 'The sitemap is no longer published.',
  },
} as const satisfies Record<string, Record<string, string>>

type Name = keyof typeof DONE
type DoneOf<Of extends Name> = keyof (typeof DONE)[Of] & string

/** Redirects to a page that says what was done; `more` is what else it says. */
export function redirectDone<Of extends Name>(
  c: Http,
  page: string,
  _of: Of,
  done: DoneOf<Of>,
  more: Added = {},
): Response {
  return redirectInSite(c, addQuery(page, { done, ...more }))
}

/** For components: what was done, if the page was opened for that. */
export function useDone<Of extends Name>(of: Of): DoneOf<Of> | null {
  const { req } = useRequestContext()
  const done = req.query('done') ?? ''
  return req.method !== 'POST' && Object.hasOwn(DONE[of], done) ? (done as DoneOf<Of>) : null
}

/** For components: the numbers in what the redirect has signed. */
export function useCounts<Name extends string>(...names: Name[]): Record<Name, number> {
  const { req } = useRequestContext()
  return Object.fromEntries(names.map((name) => [name, Number(req.query(name) ?? 0)])) as Record<Name, number>
}

/** `unless` it is no longer so. */
export function Done<Of extends Name>({ of, unless }: { of: Of; unless?: DoneOf<Of> }) {
  const done = useDone(of)
  return done && done !== unless ? <Success>{DONE[of][done] as string}</Success> : null
}
