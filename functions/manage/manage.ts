/** `/manage/v1`: the operator's write side. */

import { services } from '../http/context.ts'
import { closePaths } from '../http/methods.ts'
import { createApp, describe, HEAD } from '../http/openapi.ts'
import { operator } from '../http/operator.ts'
import { limitBody, requireJson } from '../http/request.ts'
import { guides } from './guides.ts'
import { keys } from './keys.ts'
import { posts } from './posts.ts'
import { sites } from './sites.ts'
import { training } from './training.ts'
import { webhooks } from './webhooks.ts'

const MAX_BODY_BYTES = 8 * 1024 * 1024

export const manage = createApp()

manage.use(services({ writes: true }))
manage.use('/sites/*', operator, limitBody(MAX_BODY_BYTES), requireJson)

for (const resource of [sites, keys, posts, guides, training, webhooks]) manage.route('/', resource)

manage.openAPIRegistry.registerComponent('securitySchemes', 'operatorToken', {
  type: 'http',
  scheme: 'bearer',
})

describe(
  manage,
  '/openapi.json',
  {
    title: 'Headless Content API: management',
    description: `What an operator writes: sites, keys, posts, guides, training rows and webhooks. ${HEAD}`,
  },
  '/manage/v1',
  { security: [{ operatorToken: [] }] },
)
closePaths(manage)
