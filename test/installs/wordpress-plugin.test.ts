/** The plugin of docs/receivers/wordpress in a WordPress from Debian's packages, with the service behind it. */
import { afterAll, beforeAll, describe } from 'vitest'
import { whyNoWordPress } from '../cli/wordpress/real/wordpress.ts'
import { depthOf } from '../support/depth.ts'
import { crowds } from './wordpress-plugin/crowds.ts'
import { editors } from './wordpress-plugin/editors.ts'
import { events } from './wordpress-plugin/events.ts'
import { failures } from './wordpress-plugin/failures.ts'
import { feed } from './wordpress-plugin/feed.ts'
import { hostileArticles } from './wordpress-plugin/hostile.ts'
import { pages } from './wordpress-plugin/pages.ts'
import { smuggled } from './wordpress-plugin/smuggled.ts'
import { stage } from './wordpress-plugin/stage.ts'

const isTaken = depthOf('wordpressPlugin') > 0
const reason = isTaken ? await whyNoWordPress() : 'only in test:deep'

describe.skipIf(reason !== null)(`the plugin in a WordPress${reason ? ` (not here: ${reason})` : ''}`, () => {
  const on = stage()
  beforeAll(() => on.open(), 600_000)
  afterAll(() => on.close())

  for (const trials of [events, feed, editors, hostileArticles, smuggled, failures, pages, crowds]) trials(on)
})
