/** Success notices: a form redirects with `?done=`, and the next page shows the text for it. */
import type { Http } from '../../http/env.ts'
import { type Added, addQuery } from '../parent-list.ts'
import type { NoticeProps } from '../parts/page.tsx'
import { redirectInSite, useRequestContext } from '../site.ts'
import { Success } from './success.tsx'

const alreadyCreated = (what: 'link' | 'token') =>
  `This ${what} was already created. If you did not see it, revoke it and create another.`

const EDITED = {
  created: 'Draft created.',
  edited: 'Saved.',
  renamed: 'Saved. A redirect leads here from the old URL.',
  moved: 'Saved with the new slug. The old one was never public, so it needs no redirect.',
  'co-edited': "Saved. Someone else's changes are kept, too.",
  unedited: 'No changes to save.',
}

export const DONE = {
  sites: {
    deleted: 'Site “{of}” deleted.',
    deleting: 'Site “{of}” is closed. We are deleting its content.',
  },
  people: {
    removed: '{of} was removed. All their access has ended.',
    changed: 'Saved. Changes apply from their next request.',
    created: alreadyCreated('token'),
    linked: alreadyCreated('link'),
    mailed: 'Link emailed. It works once and expires in a day.',
    linkRevoked: 'Link revoked, with any session that it began.',
    revoked: 'Token revoked, with the tokens created with it and their sessions.',
  },
  posts: { deleted: 'Post deleted.' },
  post: {
    published: 'Published. The post is now in the sitemap.',
    unpublished: 'Unpublished. The post is no longer in the sitemap.',
    stayed: 'Nothing was undone because the post has changed since.',
    ...EDITED,
    unscheduled: 'Schedule cancelled. The post stays a draft.',
    resolved: 'Change request resolved.',
    already: 'The draft was already marked ready, so we sent no new event.',
    linked: alreadyCreated('link'),
    revoked: 'Link revoked. It no longer works.',
  },
  guides: { deleted: 'Guide deleted.' },
  guide: {
    published: 'Published. The guide is now in the API and the sitemap.',
    unpublished: 'Unpublished. The guide is no longer in the API or the sitemap.',
    stayed: 'Nothing was undone because the guide has changed since.',
    ...EDITED,
  },
  redirects: {
    saved: 'Redirect saved.',
    removed: 'The redirect from {of} was removed.',
    restored: 'The redirect from {of} was restored.',
  },
  trainingRows: { deleted: 'Training row deleted.' },
  trainingRow: {
    in: 'Row opted in.',
    out: 'Row opted out. The next export leaves it out.',
  },
  integrations: {
    saved: 'Webhook saved.',
    removed: 'Webhook removed. It receives no more events.',
  },
  deliveries: {
    joined: 'A resend is already running. Each event is sent once.',
    none: 'No failed events are left to resend. They were delivered since, or their webhook was removed.',
  },
  settings: {
    saved: 'Settings saved.',
  },
  alerts: {
    saved: 'Alerts saved.',
    tested: 'Test alert sent.',
  },
  sitemap: {
    published: 'Sitemap published.',
    renewed: 'The sitemap has new URLs. The old ones return 404.',
    stopped: 'The sitemap is no longer published.',
  },
} as const satisfies Record<string, Record<string, string>>

type Name = keyof typeof DONE
type DoneOf<Page extends Name> = keyof (typeof DONE)[Page] & string

/** Redirects to a page that shows the notice. `more` are further query parameters. */
export function redirectDone<Page extends Name>(
  c: Http,
  page: string,
  _of: Page,
  done: DoneOf<Page>,
  more: Added = {},
): Response {
  return redirectInSite(c, addQuery(page, { done, ...more }))
}

/** For components: the `done` of this page, if any. */
export function useDone<Page extends Name>(of: Page): DoneOf<Page> | null {
  const { req } = useRequestContext()
  const done = req.query('done') ?? ''
  return req.method !== 'POST' && Object.hasOwn(DONE[of], done) ? (done as DoneOf<Page>) : null
}

/** For components: the counts in the signed redirect. */
export function useCounts<Name extends string>(...names: Name[]): Record<Name, number> {
  const { req } = useRequestContext()
  return Object.fromEntries(names.map((name) => [name, Number(req.query(name) ?? 0)])) as Record<Name, number>
}

type DoneProps<Page extends Name> = NoticeProps & { of: Page; unless?: DoneOf<Page> }

/** `unless` names a notice that is no longer true. The redirect's `of` may name the thing. */
export function Done<Page extends Name>({ of, unless, ...notice }: DoneProps<Page>) {
  const done = useDone(of)
  const { of: name = '' } = useRequestContext().req.query()
  if (!done || done === unless) return null
  return <Success {...notice}>{(DONE[of][done] as string).replace('{of}', () => name)}</Success>
}
