/** The notice for posts with an old URL in `schemaBundle`. */
import { type OutdatedBundles, rebuildManyBundles } from '../../../src/content/posts/schema-bundles.ts'
import { createApp } from '../../http/env.ts'
import { Success } from '../actions/success.tsx'
import { PostButton } from '../parts/fields/form.tsx'
import { Notice } from '../parts/page.tsx'
import { formatQuantity } from '../parts/quantity.ts'
import { redirectInSite, useRequestContext } from '../site.ts'

const REBUILDS = '/settings/schema-bundles/rebuilds'

export const schemaBundles = createApp()

schemaBundles.post(REBUILDS, async (c) => {
  const { rebuilt, isQueued } = await rebuildManyBundles(c.get('ctx'), c.get('site'))
  return redirectInSite(c, `/settings?rebuilt=${rebuilt}${isQueued ? '&more=yes' : ''}`)
})

export function RebuildDone() {
  const { rebuilt, more } = useRequestContext().req.query()
  if (!rebuilt) return null
  const posts = formatQuantity(Number(rebuilt), 'post')
  return (
    <Success>
      {posts} updated to the new URLs.
      {more && ' The rest follow automatically.'}
    </Success>
  )
}

export function OutdatedBundlesNotice({ outdated: { count, isMore } }: { outdated: OutdatedBundles }) {
  if (count === 0) return null
  const posts = isMore ? `More than ${formatQuantity(count, 'post')}` : formatQuantity(count, 'post')
  return (
    <Notice
      tone="warning"
      action={
        <PostButton needs="editor" action={REBUILDS}>
          Rebuild
        </PostButton>
      }
    >
      {posts} still {count === 1 ? 'has' : 'have'} an old URL in <code>schemaBundle</code>. Rebuilding counts
      as an update of each, with its event.
    </Notice>
  )
}
